package io.delayqueue.example.batches;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class BatchesApplication {

}
