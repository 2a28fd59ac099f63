package io.delayqueue.outbox.example;

record OrderPlaced(String orderId) {
}
