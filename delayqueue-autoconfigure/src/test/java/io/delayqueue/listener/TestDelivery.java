package io.delayqueue.listener;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that a test makes up.
 */
record TestDelivery(String queue, String id, @Nullable String group, Map<String, String> headers, byte[] payload,
		Instant dueAt, int attempt, boolean isLeaseLost) implements Delivery {

	static final Instant DUE = Instant.parse("2026-03-01T12:00:00.250Z");

	static TestDelivery of(String queue, String json) {
		return new TestDelivery(queue, "id-1", null, Map.of(), json.getBytes(StandardCharsets.UTF_8), DUE, 1, false);
	}

	TestDelivery group(String group) {
		return new TestDelivery(this.queue, this.id, group, this.headers, this.payload, this.dueAt, this.attempt,
				this.isLeaseLost);
	}

	TestDelivery headers(Map<String, String> headers) {
		return new TestDelivery(this.queue, this.id, this.group, headers, this.payload, this.dueAt, this.attempt,
				this.isLeaseLost);
	}

	TestDelivery attempt(int attempt) {
		return new TestDelivery(this.queue, this.id, this.group, this.headers, this.payload, this.dueAt, attempt,
				this.isLeaseLost);
	}

	@Override
	public int maxAttempts() {
		return 5;
	}

	TestDelivery leaseLost() {
		return new TestDelivery(this.queue, this.id, this.group, this.headers, this.payload, this.dueAt, this.attempt,
				true);
	}

}
