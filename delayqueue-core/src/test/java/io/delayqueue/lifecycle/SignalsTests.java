package io.delayqueue.lifecycle;

import java.time.Duration;

import io.delayqueue.queue.Epochs;
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

		this.signals.notConsuming("orders");
		assertThat(this.signals.consumed()).containsOnlyKeys("pushes");
		consume("orders");
		assertThat(this.signals.consumed().get("orders")).as("consumption restarted")
			.isLessThan(this.signals.consumed().get("pushes"));
	}

	private void consume(String queue) {
		this.signals.consuming(Epochs.first(queue, 1), new Signals.PartitionSignals() {
		});
	}

}
