package io.delayqueue.example.readme;

record OrderTimeout(String orderId) {
}
