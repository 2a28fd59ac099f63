package io.delayqueue.example.timeouts;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class TimeoutsApplication {

}
