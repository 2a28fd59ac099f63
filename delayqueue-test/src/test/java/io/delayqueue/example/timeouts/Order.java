package io.delayqueue.example.timeouts;

import java.time.Instant;

record Order(String id, Instant payUntil) {
}
