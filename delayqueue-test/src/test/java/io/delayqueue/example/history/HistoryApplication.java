package io.delayqueue.example.history;

import io.delayqueue.DelayedListener;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class HistoryApplication {

	@DelayedListener(queue = "order-timeout")
	void cancelUnpaid(String order) {
	}

}
