package io.delayqueue.example.sizing;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class SizingApplication {

}
