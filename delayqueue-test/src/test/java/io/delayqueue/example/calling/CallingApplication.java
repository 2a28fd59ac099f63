package io.delayqueue.example.calling;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class CallingApplication {

}
