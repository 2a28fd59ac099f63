package io.delayqueue.example.limits;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class LimitsApplication {

}
