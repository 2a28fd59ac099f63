package io.delayqueue.example.sizing;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

@Component
class SizedListener {

	@DelayedListener(queue = "sized")
	void handle(String payload) {
		// what is left of a message when it is done is what counts here
	}

}
