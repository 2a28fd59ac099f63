package io.delayqueue.example.readme;

record Order(String id, boolean isCancelled) {
}
