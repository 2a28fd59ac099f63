package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.store.StoredId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a message has expired, and how an expired message is settled.
 */
class ExpiryPolicyTests {

	/** The time of Redis when the messages were read. */
	private static final long NOW = 1_700_000_000_000L;

	@Test
	void attemptBeginsOnlyBeforeExpiry() {
		assertThat(task(-1, 0).expire()).as("never").isFalse();
		assertThat(task(NOW + 60_000, 0).expire()).isFalse();
		assertThat(task(NOW - 1, 0).expire()).isTrue();
		assertThat(task(NOW, 0).expire()).as("a retry is due then at the latest").isTrue();
		assertThat(task(0, 0).expire()).as("1970").isTrue();
	}

	@Test
	void timeSinceReadCountsTowardsExpiry() {
		assertThat(task(NOW + 60_000, 59).expire()).isFalse();
		assertThat(task(NOW + 60_000, 61).expire()).isTrue();
	}

	@Test
	void messageHasExpiredOnlyAfterCheck() {
		DeliveryTask task = task(NOW - 1, 0);
		assertThat(task.hasExpired()).as("its handler began in time").isFalse();
		task.expire();
		assertThat(task.hasExpired()).isTrue();
	}

	@Test
	void expiredMessageIsDeadLetteredWithoutCountingFailure() {
		Settlement settlement = settle(ExpirySettings.NEVER);

		assertThat(settlement.kind()).isEqualTo(Settlement.Kind.DEAD_LETTER);
		assertThat(settlement.reason()).isEqualTo(new FailureNote(Reason.EXPIRED, null,
				"expired at 2023-11-14T22:13:19.999Z, when attempt 3 had not begun"));
	}

	@Test
	void expiredMessageIsDroppedIfQueueDropsExpiredMessages() {
		assertThat(settle(new ExpirySettings(null, true)).kind()).isEqualTo(Settlement.Kind.EXPIRE);
	}

	private static Settlement settle(ExpirySettings expiry) {
		QueueSettings settings = new QueueSettings("orders", 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), TestActors.retry(3), GroupSettings.NONE, expiry,
				FlowSettings.NONE, EndSettings.NONE);
		return new OutcomePolicy(settings, QueueObserver.NONE).expired(task(NOW - 1, 0));
	}

	private static DeliveryTask task(long expiryMillis, long readSecondsAgo) {
		long read = System.nanoTime() - TimeUnit.SECONDS.toNanos(readSecondsAgo);
		return HandlerInvokerTests.task(new Entry("1-1", new StoredId("a", null), null,
				new FailureRecord(1, 1, 0, null), Special.NONE, expiryMillis), null, 0,
				new ReadLease(NOW * 1000, read, read, Duration.ofHours(1)));
	}

}
