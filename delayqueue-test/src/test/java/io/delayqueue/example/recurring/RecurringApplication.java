package io.delayqueue.example.recurring;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class RecurringApplication {

}
