package io.delayqueue.example.readme;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class ReadmeApplication {

}
