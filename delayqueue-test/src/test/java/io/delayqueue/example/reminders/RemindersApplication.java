package io.delayqueue.example.reminders;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class RemindersApplication {

}
