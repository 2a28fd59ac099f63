package io.delayqueue.example.guides;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class GuidesApplication {

}
