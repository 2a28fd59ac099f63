package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RowPolicyTests {

	private static final MessageKey KEY = MessageKey.of("orders", "a");

	private final RowPolicy policy = new RowPolicy(Duration.ofSeconds(10));

	private static ClaimedRow row(Call call, int attempt, @Nullable Duration unconfirmed) {
		byte[] envelope = (call == Call.SCHEDULE) ? new byte[20] : null;
		return new ClaimedRow(1, new NewRow(call, KEY, "token", "+1", "", "keep", envelope), Duration.ZERO, 0, attempt,
				unconfirmed);
	}

	private RowOutcome.Retried retried(ClaimedRow row, RuntimeException failure) {
		return (RowOutcome.Retried) this.policy.of(row, failure);
	}

	@Test
	void aCertainFailureOfAScheduleLeavesNothingUnconfirmed() {
		ClaimedRow row = row(Call.SCHEDULE, 1, null);
		assertThat(retried(row, new DelayQueueUnavailableException("away", "orders", "a", null)).staysUnconfirmed())
			.isFalse();
		assertThat(retried(row, new QueueDrainingException("orders", "a", Instant.EPOCH)).staysUnconfirmed()).isFalse();
		assertThat(retried(row, new RedisRefusedException("no rights", "orders", "a", null)).staysUnconfirmed())
			.isFalse();
	}

	@Test
	void anUncertainOrEarlierFailureStaysUnconfirmed() {
		RuntimeException away = new DelayQueueUnavailableException("away", "orders", "a", null);
		assertThat(retried(row(Call.SCHEDULE, 1, null), new ScheduleOutcomeUnknownException("orders", "a", away))
			.staysUnconfirmed()).isTrue();
		assertThat(retried(row(Call.SCHEDULE, 1, null), new IllegalStateException("a bug")).staysUnconfirmed())
			.isTrue();
		assertThat(retried(row(Call.SCHEDULE, 2, Duration.ofSeconds(1)), away).staysUnconfirmed()).isTrue();
		assertThat(retried(row(Call.CANCEL, 1, null), away).staysUnconfirmed()).isTrue();
	}

	@Test
	void everyOtherAnswerIsFinal() {
		assertThat(this.policy.of(row(Call.SCHEDULE, 1, null), new InvalidMessageException("dueAt", "x", "y")))
			.isInstanceOf(RowOutcome.Failed.class);
	}

	@ParameterizedTest
	@CsvSource({ "1, 250", "2, 500", "5, 4000", "7, 10000", "1000000, 10000" })
	void theBackOffDoublesUpToItsLimit(int attempt, long most) {
		Duration backOff = retried(row(Call.SCHEDULE, attempt, null), new IllegalStateException("x")).backOff();
		assertThat(backOff.toMillis()).isBetween(most * 4 / 5 - 1, most);
	}

}
