package io.delayqueue.example.scheduling;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class SchedulingApplication {

}
