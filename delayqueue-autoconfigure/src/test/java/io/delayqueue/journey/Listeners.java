package io.delayqueue.journey;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;

/**
 * The listeners of the core suite, as a user would write them.
 */
class Listeners {

	final Handled handled = new Handled();

	final Handled inHeaders = new Handled();

	/** What queue "reports" was handed at once. */
	final List<List<DelayedMessage<String>>> batches = new CopyOnWriteArrayList<>();

	/** The handlers of queue "slow" that have begun. */
	final Semaphore begun = new Semaphore(0);

	/** Lets the handlers of queue "slow" finish. */
	final CountDownLatch go = new CountDownLatch(1);

	final CompletableFuture<Void> stage = new CompletableFuture<>();

	volatile String lastHeader = "";

	record Order(String id, int cents) {
	}

	@DelayedListener(queue = "orders")
	void order(DelayedMessage<Order> message) {
		this.handled.add(message);
	}

	@DelayedListener(queue = "slow", concurrency = "1")
	void slow(DelayedMessage<String> message) throws InterruptedException {
		this.begun.release();
		this.go.await();
		this.handled.add(message);
	}

	@DelayedListener(queue = "headers")
	void headers(String payload, DelayedMessage<String> message, @Header("from") String from) {
		this.lastHeader = from;
		this.inHeaders.add(message);
	}

	@DelayedListener(queue = "failing")
	void failing(String payload) {
		throw new IllegalStateException("no way with " + payload);
	}

	@DelayedListener(queue = "numbers")
	void number(int payload) {
		throw new AssertionError("must not be called");
	}

	/** One that always fails fails its whole batch. */
	@DelayedListener(queue = "reports", batch = "4", batchWait = "100ms", groupBy = true)
	void report(List<DelayedMessage<String>> batch) {
		this.batches.add(batch);
		if (batch.stream().anyMatch((message) -> message.payload().equals("always fails"))) {
			throw new IllegalStateException("no way");
		}
		BatchFailedException failed = new BatchFailedException();
		for (DelayedMessage<String> message : batch) {
			if (message.payload().equals("fails once") && message.attempt() == 1) {
				failed.failed(message.id(), new IllegalStateException("not yet"));
			}
			else {
				this.handled.add(message);
			}
		}
		failed.throwIfAny();
	}

	@DelayedListener(queue = "stages")
	CompletionStage<Void> staged(DelayedMessage<String> message) {
		this.handled.add(message);
		return this.stage;
	}

	@Configuration(proxyBeanMethods = false)
	static class Configured {

		@Bean
		Listeners listeners() {
			return new Listeners();
		}

	}

}
