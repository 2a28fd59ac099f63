package io.delayqueue.example.start;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class WelcomeApplication {

}
