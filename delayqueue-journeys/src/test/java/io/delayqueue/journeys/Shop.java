package io.delayqueue.journeys;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HoldException;
import io.delayqueue.Recurring;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.DelayQueueOutbox;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

/** An application that uses every feature, as a user would write it. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Shop {

	@Bean
	Listeners listeners() {
		return new Listeners();
	}

	@Bean
	Checkout checkout(DelayQueueOutbox outbox) {
		return new Checkout(outbox);
	}

	/** A message that a handler has received. */
	record Received(String queue, String id, String payload, int attempt, Instant dueAt) {

		static Received of(DelayedMessage<String> message) {
			return new Received(message.queue(), message.id(), message.payload(), message.attempt(), message.dueAt());
		}

	}

	/** The listeners of the application. */
	static class Listeners {

		final List<Received> received = new CopyOnWriteArrayList<>();

		/** The batches of the queue "reports". */
		final List<List<Received>> batches = new CopyOnWriteArrayList<>();

		/** The most handlers of the queue "exports" that ran at the same time. */
		final AtomicInteger most = new AtomicInteger();

		private final AtomicInteger running = new AtomicInteger();

		volatile boolean isDown;

		private final AtomicBoolean isBusy = new AtomicBoolean(true);

		@DelayedListener(queue = "orders")
		void order(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
		}

		@DelayedListener(queue = "calls")
		void call(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
			if (this.isDown || (message.payload().equals("fails once") && message.attempt() == 1)) {
				throw new IllegalStateException("The partner does not answer");
			}
		}

		@DelayedListener(queue = "reports", batch = "10", batchWait = "200ms", groupBy = true)
		void report(List<DelayedMessage<String>> batch) {
			List<Received> all = batch.stream().map(Received::of).toList();
			this.batches.add(all);
			this.received.addAll(all);
		}

		@DelayedListener(queue = "steps")
		void step(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
		}

		@DelayedListener(queue = "exports")
		void export(DelayedMessage<String> message) {
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			this.received.add(Received.of(message));
			this.running.decrementAndGet();
		}

		@DelayedListener(queue = "sms")
		void text(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
		}

		@DelayedListener(queue = "partners")
		void partner(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
			if (message.payload().equals("busy") && this.isBusy.getAndSet(false)) {
				throw HoldException.queue(Duration.ofMillis(200), "429");
			}
		}

		@DelayedListener(queue = "digests")
		@Recurring(key = "each-second", every = "1s", payload = "all")
		void digest(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
		}

		@DelayedListener(queue = "growing")
		void grow(DelayedMessage<String> message) {
			this.received.add(Received.of(message));
		}

	}

	/** A service whose transaction schedules with the outbox. */
	static class Checkout {

		private final DelayQueueOutbox outbox;

		Checkout(DelayQueueOutbox outbox) {
			this.outbox = outbox;
		}

		@Transactional
		public void place(String order, boolean valid) {
			this.outbox.schedule(ScheduleRequest.to("orders").payload("outbox").id(order).delay(Duration.ZERO));
			if (!valid) {
				throw new IllegalArgumentException("The order is not valid");
			}
		}

	}

}
