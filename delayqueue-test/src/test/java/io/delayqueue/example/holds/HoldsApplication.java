package io.delayqueue.example.holds;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class HoldsApplication {

}
