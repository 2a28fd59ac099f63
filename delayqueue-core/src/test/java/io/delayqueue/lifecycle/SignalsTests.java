package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SignalsTests {

	private final Signals signals = new Signals();

	@Test
	void consumedQueuesAreListedWithTimeSinceStart() {
		assertThat(this.signals.consumed()).isEmpty();
		consume("orders");
		await().until(() -> this.signals.consumed().get("orders").compareTo(Duration.ofMillis(20)) > 0);
		consume("pushes");
		assertThat(this.signals.consumed()).containsOnlyKeys("orders", "pushes");
		assertThat(this.signals.consumed().get("pushes")).isLessThan(this.signals.consumed().get("orders"));

		this.signals.notConsuming("orders", this.signals.consumer("orders"));
		assertThat(this.signals.consumed()).containsOnlyKeys("pushes");
		consume("orders");
		assertThat(this.signals.consumed().get("orders")).as("consumption restarted")
			.isLessThan(this.signals.consumed().get("pushes"));
	}

	@Test
	void changeOfAStoppedConsumerDoesNotConcernTheNextConsumer() throws InterruptedException {
		consume("orders");
		Signals.PartitionSignals stopped = this.signals.consumer("orders");
		HeldChange change = new HeldChange(() -> this.signals.changed(Epochs.first("orders", 2), stopped));
		this.signals.register(change);
		List<String> notified = new CopyOnWriteArrayList<>();
		this.signals.register(addingTo(notified));
		change.thread.start();
		change.begun.await();
		this.signals.notConsuming("orders", stopped);
		change.mayGoOn.countDown();
		await().until(() -> change.isAtTheStop || !change.thread.isAlive());

		consume("orders");
		change.mayStop.countDown();
		change.thread.join();

		assertThat(notified).containsSubsequence("not consuming", "consuming").endsWith("consuming");
		this.signals.changed(Epochs.first("orders", 2), stopped);
		this.signals.notConsuming("orders", stopped);
		assertThat(notified).containsSubsequence("not consuming", "consuming").endsWith("consuming");
		assertThat(this.signals.consumes(new Partition("orders", 0))).isTrue();
		assertThat(this.signals.consumes(new Partition("orders", 1))).isFalse();
	}

	@Test
	void listenerGetsNoNotificationOfAStopAfterTheNextStart() {
		List<String> notified = new ArrayList<>();
		this.signals.register(new Signals.QueueListener() {

			@Override
			public void consuming(Epochs epochs) {
			}

			@Override
			public void notConsuming(String queue) {
				consume(queue);
			}

		});
		this.signals.register(addingTo(notified));
		consume("orders");

		this.signals.notConsuming("orders", this.signals.consumer("orders"));

		assertThat(notified).isNotEmpty().containsOnly("consuming");
		assertThat(this.signals.consumed()).containsOnlyKeys("orders");
	}

	private static Signals.QueueListener addingTo(List<String> notified) {
		return new Signals.QueueListener() {

			@Override
			public void consuming(Epochs epochs) {
				notified.add("consuming");
			}

			@Override
			public void notConsuming(String queue) {
				notified.add("not consuming");
			}

		};
	}

	/** Changes the partitions in a thread, and holds the notifications in this thread. */
	private static final class HeldChange implements Signals.QueueListener {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch mayGoOn = new CountDownLatch(1);

		private final CountDownLatch mayStop = new CountDownLatch(1);

		private final Thread thread;

		private volatile boolean isAtTheStop;

		HeldChange(Runnable change) {
			this.thread = new Thread(change);
		}

		@Override
		public void consuming(Epochs epochs) {
			if (Thread.currentThread() == this.thread) {
				this.begun.countDown();
				await(this.mayGoOn);
			}
		}

		@Override
		public void notConsuming(String queue) {
			if (Thread.currentThread() == this.thread) {
				this.isAtTheStop = true;
				await(this.mayStop);
			}
		}

		private static void await(CountDownLatch latch) {
			try {
				latch.await();
			}
			catch (InterruptedException interrupted) {
				throw new IllegalStateException(interrupted);
			}
		}

	}

	private void consume(String queue) {
		this.signals.consuming(Epochs.first(queue, 1), new Signals.PartitionSignals() {
		});
	}

}
