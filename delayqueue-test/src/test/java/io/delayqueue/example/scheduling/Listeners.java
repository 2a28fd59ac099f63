package io.delayqueue.example.scheduling;

import java.util.List;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

@Component
class Listeners {

	private final Partner partner;

	Listeners(Partner partner) {
		this.partner = partner;
	}

	@DelayedListener(queue = "order-timeout")
	void close(String event) {
		this.partner.close(event);
	}

	@DelayedListener(queue = "report", batch = "128", batchWait = "200ms", groupBy = true)
	void report(List<Behaviour> behaviours) {
		this.partner.report(behaviours);
	}

	@DelayedListener(queue = "push")
	void push(String text) {
		this.partner.push(text);
	}

	record Behaviour(String game) {
	}

	interface Partner {

		void close(String event);

		void report(List<Behaviour> behaviours);

		void push(String text);

	}

}
