package io.delayqueue.example.running;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class RunningApplication {

}
