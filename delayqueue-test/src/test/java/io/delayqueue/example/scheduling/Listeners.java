package io.delayqueue.example.scheduling;

import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.example.scheduling.Refunds.Payment;
import io.delayqueue.example.scheduling.Refunds.Shape;

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

	@DelayedListener(queue = "refund")
	void refund(Payment payment) {
		this.partner.refund(payment);
	}

	@DelayedListener(queue = "draw")
	void draw(List<Shape> shapes) {
		this.partner.draw(shapes);
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

		void refund(Payment payment);

		void draw(List<Shape> shapes);

	}

}
