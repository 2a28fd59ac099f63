package io.delayqueue.maintain;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.journey.fixture.Handled;

import static org.assertj.core.api.Assertions.assertThat;

/** One listener for each kind of damage. */
class DamagedQueueListeners {

	final Handled handled = new Handled();

	@DelayedListener(queue = "scheduled")
	void scheduled(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "ready", id = "ready")
	void ready(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "entries", id = "entries")
	void entries(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "dead")
	void dead(DelayedMessage<String> message) {
		handle(message);
		throw new IllegalStateException("never");
	}

	@DelayedListener(queue = "messages")
	void messages(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "messages-ready", id = "messages-ready")
	void messagesReady(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "group", id = "group")
	void group(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "consumer", id = "consumer")
	void consumer(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "renamed", id = "renamed")
	void renamed(DelayedMessage<String> message) {
		handle(message);
	}

	private void handle(DelayedMessage<String> message) {
		assertThat(Instant.now()).isAfterOrEqualTo(message.dueAt());
		this.handled.add(message);
	}

	Set<String> handled(String queue) {
		Set<String> ids = new HashSet<>();
		this.handled.runs().stream().filter((run) -> run.payload().equals(queue)).forEach((run) -> ids.add(run.id()));
		return ids;
	}

}
