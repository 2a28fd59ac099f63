package io.delayqueue.example.shop;

import org.springframework.stereotype.Component;

@Component
class Greeting {

}
