package io.delayqueue.example.start;

record Welcome(String user, String address) {
}
