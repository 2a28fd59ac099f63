package io.delayqueue.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.NewMessage;

/**
 * Messages for a queue of two partitions.
 */
final class TestMessages {

	static final QueueSettings QUEUE = new QueueSettings("orders", 2, 10, Duration.ofSeconds(30), Duration.ofDays(1),
			1000, Duration.ofSeconds(10), Duration.ofMinutes(2),
			new RetrySettings(5, 1, 1, 5, Duration.ofHours(1), BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of()),
			GroupSettings.NONE, ExpirySettings.NEVER, FlowSettings.NONE, EndSettings.NONE);

	static final Partition PARTITION = new Partition("orders", 0);

	static final Partition ANOTHER = new Partition("orders", 1);

	private TestMessages() {
	}

	static OutgoingMessage message(String id) {
		return message(id, 1);
	}

	static OutgoingMessage message(String id, int bytes) {
		return message(PARTITION, id, bytes);
	}

	static OutgoingMessage message(Partition partition, String id, int bytes) {
		return message(partition, id, new byte[bytes]);
	}

	static OutgoingMessage message(Partition partition, String id, byte[] envelope) {
		return new OutgoingMessage(QUEUE, partition,
				new NewMessage(id, Due.in(Duration.ZERO), null, Expiry.NEVER, null, envelope));
	}

	static String text(OutgoingMessage message) {
		return new String(message.message().envelope(), StandardCharsets.UTF_8);
	}

}
