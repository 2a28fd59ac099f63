package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.FailedAttempt;
import io.delayqueue.record.FailureRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The small values of the store: due times, call tokens, failures, names of keys,
 * replies.
 */
class StoreValueTests {

	@ParameterizedTest
	@CsvSource({ "PT0S, +0", "PT0.000000001S, +1", "PT0.001S, +1", "PT0.001000001S, +2", "PT1S, +1000",
			"P36500D, +3153600000000" })
	void delaysAreRoundedUp(Duration delay, String form) {
		assertThat(Due.in(delay)).hasToString(form);
	}

	@ParameterizedTest
	@CsvSource({ "1970-01-01T00:00:00Z, 0000000000000000", "1970-01-01T00:00:00.000000001Z, 0000000000000001",
			"2026-01-01T00:00:00.001Z, 0001767225600001", "9999-12-31T23:59:59Z, 0253402300799000" })
	void instantsAreRoundedUp(Instant instant, String form) {
		assertThat(Due.at(instant)).hasToString(form);
	}

	@ParameterizedTest
	@CsvSource({ "PT1S, PT0S, 0001767225601000", "PT1S, PT0.300999S, 0001767225600700", "PT1S, PT2S, 0001767225599000",
			"PT0S, PT0S, 0001767225600000", "PT1S, P36500D, 0000000000000000" })
	void aCountedDelayIsAnInstantAndNeverEarly(Duration delay, Duration passed, String form) {
		Due counted = Due.in(delay).since(-5);
		assertThat(counted.isCounted()).isTrue();
		assertThat(counted.by(new PartitionClock.Reading(1767225600000L, passed.toNanos() - 5))).hasToString(form);
	}

	@Test
	void onlyADelayIsCounted() {
		PartitionClock.Reading clock = new PartitionClock.Reading(1767225600000L, 0);
		Due instant = Due.at(Instant.EPOCH);
		assertThat(instant.since(0)).isSameAs(instant);
		assertThat(Due.in(Duration.ofSeconds(1)).by(clock)).hasToString("+1000");
	}

	@Test
	void tokensAreElevenCharactersOfAsciiAndDistinct() {
		Set<String> tokens = new HashSet<>();
		for (int i = 0; i < 10_000; i++) {
			String token = CallToken.next();
			assertThat(token).matches("[0-9A-Za-z_-]{" + CallToken.LENGTH + "}");
			assertThat(tokens.add(token)).isTrue();
		}
	}

	@Test
	void failuresAreReadInTheFormOfTheScripts() {
		assertThat(FailureRecord.from(Reply.bytes("2|1|3|7-0|it | broke\n")))
			.isEqualTo(new FailureRecord(2, 1, 3, "it | broke\n"));
		String attempted = FailedAttempt.added("R|e|a\0b|c", "host-1", 1700000000000L, Duration.ofMillis(12), null);
		assertThat(FailureRecord.from(Reply.bytes("2|1|3|1-0|" + attempted)))
			.isEqualTo(new FailureRecord(2, 1, 3, "R|e|a b|c", new FailedAttempt("host-1", 1700000000000L, 12, null)));
		String stacked = FailedAttempt.added("R|e|a", "host-1", 1L, Duration.ofMillis(12), "e: a\n\tat x|y\0");
		assertThat(FailureRecord.last(stacked))
			.isEqualTo(new FailureRecord(0, 0, 0, "R|e|a", new FailedAttempt("host-1", 1L, 12, "e: a\n\tat x|y ")));
		for (int end = attempted.indexOf(0); end < attempted.length(); end++) {
			assertThat(FailureRecord.last(attempted.substring(0, end))).as("cut by the history")
				.isEqualTo(new FailureRecord(0, 0, 0, "R|e|a b|c"));
		}
		assertThat(FailureRecord.from(Reply.bytes("0|1|0||"))).isEqualTo(new FailureRecord(0, 1, 0, null));
		assertThat(FailureRecord.from(null)).isEqualTo(new FailureRecord(0, 0, 0, null));
		assertThat(FailureRecord.from(new byte[0])).isEqualTo(new FailureRecord(0, 0, 0, null));
		assertThat(new FailureRecord(2, 1, 3, null).attempts()).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "1|2", "1|2|3|", "-1|0|0||", "9999999999|0|0||", "a|0|0||why" })
	void failuresOfAnotherFormAreKeptAsTheReason(String text) {
		assertThat(FailureRecord.from(Reply.bytes(text))).isEqualTo(new FailureRecord(0, 0, 0, text));
	}

	@Test
	void allKeysOfAPartitionAreInOneSlot() {
		KeySpace keys = new KeySpace("dq");
		for (Key key : Key.values()) {
			assertThat(keys.name(new Partition("orders", 12), key))
				.isEqualTo(((key == Key.QUEUES) ? "dq:" : key.isShared() ? "dq:{members}:" : "dq:{orders:12}:")
						+ key.suffix());
		}
		assertThat(keys.queues()).isEqualTo("dq:queues");
		assertThat(keys.hints()).isEqualTo("dq:hints");
		assertThat(keys.hints("one")).isEqualTo("dq:hints:one");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{dq}", "d}q", "a b", ":dq", "dq\n", "订", "d*", "d?" })
	void prefixesThatWouldBreakTheKeysAreRefused(String prefix) {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> new KeySpace(prefix))
			.withMessageContaining("delayqueue.key-prefix is '" + prefix + "'")
			.withMessageContaining("1 to 100 characters of [A-Za-z0-9._:-]");
	}

	@Test
	void aReplyOfAnotherFormIsABug() {
		Reply reply = new Reply(StoreScript.SWEEP, List.of(Reply.bytes("swept"), 1L));
		assertThat(reply.is("swept")).isTrue();
		assertThat(reply.is("paused")).isFalse();
		assertThat(reply.number(1)).isEqualTo(1);
		for (Runnable wrong : List.<Runnable>of(() -> reply.number(0), () -> reply.text(1), () -> reply.number(2),
				() -> reply.word(KnownMessages.Moved.class, 0))) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(wrong::run)
				.withMessageContaining("SWEEP answered 2 values")
				.withMessageContaining("indicates a bug");
		}
	}

	@Test
	void aReplyThatDoesNotBeginWithAWordIsABug() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> new Reply(StoreScript.SWEEP, List.of(1L)))
			.withMessageContaining("indicates a bug");
	}

	@Test
	void wordsAreReadInTheFormOfTheScripts() {
		Reply reply = new Reply(StoreScript.SCHEDULE, List.of(Reply.bytes("too-far"), Reply.bytes("in-flight")));
		assertThat(reply.word(ScheduledMessages.Stored.class, 0)).isEqualTo(ScheduledMessages.Stored.TOO_FAR);
		assertThat(reply.word(KnownMessages.Cancelled.class, 1)).isEqualTo(KnownMessages.Cancelled.IN_FLIGHT);
	}

}
