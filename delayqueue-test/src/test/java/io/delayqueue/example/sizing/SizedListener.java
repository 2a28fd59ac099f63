package io.delayqueue.example.sizing;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

@Component
class SizedListener {

	@DelayedListener(queue = "sized")
	void handle(String payload) {
		// the test measures what remains of an acknowledged message
	}

}
