package io.delayqueue.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DeferException;
import io.delayqueue.HoldException;
import io.delayqueue.RetryAfterException;
import io.delayqueue.delivery.OutcomePolicy.Began;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.store.StoredId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long a message waits whose handler states a wait.
 */
class DeferralPolicyTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE);

	/** The time of Redis when the message was read: 1970-01-01T00:16:40Z. */
	private static final long NOW = 1_000_000;

	private static final RetrySettings RETRY = new RetrySettings(5, 3, 1000, 5, Duration.ofHours(1),
			BackOffPolicy.exponential(Duration.ofSeconds(1), 2, MINUTE), Set.of());

	private static final QueueSettings SETTINGS = HandlerInvokerTests.settings(RETRY);

	static Stream<Duration> nothing() {
		return Stream.of(Duration.ZERO, Duration.ofNanos(-1), MINUTE.negated(), LONGEST.negated());
	}

	@ParameterizedTest
	@MethodSource("nothing")
	void noTimeMeansTheBackOff(Duration none) {
		assertThat(waitAfter(new DeferException(none))).isEqualTo(Duration.ofSeconds(8));
		assertThat(waitAfter(new RetryAfterException(none, "busy"))).isEqualTo(Duration.ofSeconds(2));
		assertThat(waitAfter(HoldException.group(none, "busy"))).isEqualTo(Duration.ofSeconds(8));
		assertHeld(HoldException.queue(none, "busy"), Duration.ofSeconds(8));
		assertHeld(HoldException.queueRetryAfter("0", none, "busy"), Duration.ofSeconds(8));
	}

	@Test
	void anEndThatHasPassedMeansTheBackOff() {
		assertHeld(HoldException.queue(Instant.EPOCH, "busy"), Duration.ofSeconds(8));
		assertHeld(HoldException.queue(Instant.ofEpochMilli(NOW), "busy"), Duration.ofSeconds(8));
		Instant ahead = Instant.ofEpochMilli(NOW).plus(MINUTE);
		assertThat(settle(HoldException.queue(ahead, "busy")).hold()).isNotNull()
			.returns(ahead, Settlement.Hold::until);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", " 0 ", "000", "Thu, 01 Jan 1970 00:16:40 GMT", "Thu, 01 Jan 1970 00:00:00 GMT" })
	void aRetryAfterOfNoTimeMeansTheOtherDuration(String retryAfter) {
		assertHeld(HoldException.queueRetryAfter(retryAfter, MINUTE, "busy"), MINUTE);
	}

	@Test
	void aDeferralHasAShortestAndALongestWait() {
		Duration shortest = Duration.ofMillis(100);
		assertThat(waitAfter(new DeferException(Duration.ofNanos(1)))).isEqualTo(shortest);
		assertHeld(HoldException.queue(Duration.ofMillis(1), "busy"), shortest);
		assertThat(waitAfter(new DeferException(LONGEST))).isEqualTo(Duration.ofDays(1));
		assertThat(waitAfter(new RetryAfterException(LONGEST, "busy"))).isEqualTo(Duration.ofDays(1));
		assertHeld(HoldException.queue(LONGEST, "busy"), Duration.ofHours(1));
	}

	private static void assertHeld(HoldException thrown, Duration wait) {
		Settlement settlement = settle(thrown);
		assertThat(wait(settlement)).isEqualTo(wait);
		assertThat(settlement.hold()).isNotNull();
	}

	private static Duration waitAfter(RuntimeException thrown) {
		return wait(settle(thrown));
	}

	private static Duration wait(Settlement settlement) {
		return settlement.toRetry(SETTINGS, "p").waiting();
	}

	private static Settlement settle(RuntimeException thrown) {
		long read = System.nanoTime();
		DeliveryTask task = new DeliveryTask(new Partition("orders", 0),
				new Entry("1-1", new StoredId("o-1", null), null, new FailureRecord(1, 0, 3, null), Special.NONE, -1),
				new MessageRecord(0, new Envelope("token", null, Map.of(), new byte[0])), RETRY,
				new ReadLease(NOW * 1000, read, read, Duration.ofSeconds(30)));
		return new OutcomePolicy(SETTINGS, QueueObserver.NONE).of(task, Began.now(MessageSpan.NONE), thrown, false);
	}

}
