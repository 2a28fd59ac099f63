package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.record.Envelope;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long repeated schedule calls can postpone a message.
 */
class PostponeIntegrationTests extends KnownMessage {

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	void aSeriesNeverPostponesItsMessageBeyondTheLimit(String name) {
		String group = name.isEmpty() ? null : name;
		Duration limit = Duration.ofHours(1);
		Answers first = postpone(group, limit, Duration.ofMinutes(10), 1);
		long accepted = first.nowMicros() / 1000;
		assertThat(due(first)).isEqualTo(accepted + Duration.ofMinutes(10).toMillis());

		Answers later = postpone(group, limit, Duration.ofMinutes(50), 2);
		assertThat(later.answers().get(0).stored()).isEqualTo(Stored.POSTPONED);
		assertThat(due(later)).isEqualTo(later.nowMicros() / 1000 + Duration.ofMinutes(50).toMillis());

		// Never earlier than before
		assertThat(due(postpone(group, limit, Duration.ofMinutes(5), 3))).isEqualTo(due(later));
		// The limit of the first call applies to the series
		for (int call = 4; call < 8; call++) {
			Answers last = postpone(group, Duration.ofHours(2), Duration.ofDays(1), call);
			assertThat(due(last)).isEqualTo(accepted + limit.toMillis());
			assertThat(this.partition.dump().scheduled()).containsEntry(this.partition.dump().stored("a"),
					accepted + limit.toMillis());
			assertThat(latest(this.partition.dump())).isEqualTo(accepted + limit.toMillis());
		}
		assertThat(this.partition.dump().messages().get(this.partition.dump().stored("a")))
			.endsWith("payload of a by 7");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	void aReadyMessageAtItsLimitStaysReadyWithTheNewPayload(String name) {
		String group = name.isEmpty() ? null : name;
		long limit = due(postpone(group, Duration.ofMillis(1), Duration.ZERO, 1)) + 1;
		assertThat(this.store.sweep()).isEqualTo(1);
		this.partition.command("HSET", Key.FAILURES, "a", States.FAILED_TWICE);
		String entry = this.partition.dump().entries().get(this.partition.dump().stored("a"));
		Awaitility.await().until(() -> this.partition.now() >= limit);

		Answers answers = postpone(group, LIMIT, Duration.ofHours(1), 2);

		assertThat(answers.answers()).containsExactly(new Answer(Stored.POSTPONED, limit, List.of()));
		assertThat(answers.unparked()).isZero();
		PartitionDump after = this.partition.dump();
		ExpectedDump expected = new ExpectedDump().record("a", record(group, limit, 2))
			.ready("a", entry)
			.done("\0" + TestMessages.token(1), 0)
			.done("postponed\0" + TestMessages.token(2), 0);
		if (group != null) {
			expected.grouped("a", limit, group).active("a", group);
		}
		assertThat(withoutLatest(after)).isEqualTo(expected.build());
		Entry read = this.store.read("holder").get(0);
		assertThat(Reply.text(read.record())).endsWith("payload of a by 2");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenReadyMessageIsPostponedBehindOthersOfItsGroupTheyAreHandledFirst(boolean parked) {
		long due = due(postpone("g", Duration.ofMillis(2), Duration.ZERO, 1));
		this.store.sweep();
		// The first message differs only in its id, and the last one is due later than
		// the new due time
		this.store.schedule(TestMessages.message("b", due, "g", 2), TestMessages.message("c", due + 1, "g", 3),
				TestMessages.message("d", due + 3, "g", 4));
		Awaitility.await().until(() -> this.partition.now() >= due + 3);
		if (parked) {
			this.store.sweep();
		}

		assertThat(due(postpone("g", LIMIT, Duration.ofHours(1), 5))).isEqualTo(due + 2);

		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
		assertThat(OrderedGroup.handleAll(this.store)).containsExactly("b", "c", "a", "d");
	}

	@Test
	void whenReadyMessageIsAtItsLimitItIsPutBehindOthersOnce() {
		long due = due(postpone("g", Duration.ofMillis(2), Duration.ZERO, 1));
		this.store.sweep();
		this.store.schedule(TestMessages.message("b", due + 1, "g", 2),
				TestMessages.message("later", States.FAR, "g", 5));
		Awaitility.await().until(() -> this.partition.now() >= due + 2);
		postpone("g", LIMIT, Duration.ofHours(1), 3);
		this.store.acknowledge(this.store.take("holder").get(0));
		this.store.sweep();
		String entry = this.partition.dump().entries().get(this.partition.dump().stored("a"));

		postpone("g", LIMIT, Duration.ofHours(1), 4);

		assertThat(this.partition.dump().entries()).containsEntry(this.partition.dump().stored("a"), entry);
		assertThat(OrderedGroup.handleAll(this.store)).containsExactly("a");
	}

	@Test
	void aSeriesBeginsIfTheExistingMessageHasNone() {
		this.store.schedule("a", States.DUE, 1);
		Answers first = postpone(null, LIMIT, Duration.ofHours(1), 2);
		assertThat(latest(this.partition.dump())).isEqualTo(first.nowMicros() / 1000 + LIMIT.toMillis());
	}

	@Test
	void aNewSeriesBeginsIfTheExistingMessageIsPending() {
		postpone(null, Duration.ofMillis(1), Duration.ZERO, 1);
		assertThat(this.store.take("holder")).hasSize(1);
		Answers next = postpone(null, LIMIT, Duration.ofHours(1), 2);
		assertThat(due(next)).isEqualTo(next.nowMicros() / 1000 + Duration.ofHours(1).toMillis());
		assertThat(latest(this.partition.dump())).isEqualTo(next.nowMicros() / 1000 + LIMIT.toMillis());
	}

	private Answers postpone(@Nullable String group, Duration limit, Duration delay, int token) {
		Envelope envelope = new Envelope(TestMessages.token(token), group, Map.of(),
				Reply.bytes("payload of a by " + token));
		return this.store.schedule(this.store.partition(), this.store.settings(), List.of(TestMessages
			.onDuplicate(DuplicatePolicy.postpone(limit), TestMessages.message("a", Due.in(delay), envelope))));
	}

	private static long due(Answers answers) {
		return answers.answers().get(0).dueMillis();
	}

	private static String record(@Nullable String group, long dueMillis, int token) {
		NewMessage message = TestMessages.onDuplicate(DuplicatePolicy.postpone(LIMIT),
				TestMessages.message("a", dueMillis, group, token));
		return "1%016d%s".formatted(dueMillis, Reply.text(message.envelope()));
	}

}
