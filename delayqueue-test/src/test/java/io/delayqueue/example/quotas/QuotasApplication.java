package io.delayqueue.example.quotas;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class QuotasApplication {

}
