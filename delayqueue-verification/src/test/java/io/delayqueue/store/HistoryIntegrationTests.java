package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageEnd;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.record.FailedAttempt;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.PendingMessages.Acknowledgement;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How messages have ended, as the scripts that end them write it.
 */
class HistoryIntegrationTests extends KeptHistory {

	@ParameterizedTest
	@MethodSource
	void eachEndIsWritten(How how, int attempts, Consumer<HistoryIntegrationTests> act) {
		this.store.keep(WEEK);
		long from = this.partition.now();

		act.accept(this);

		Ended ended = this.store.ends().get(0);
		assertThat(ended.id()).isEqualTo("a");
		assertThat(ended.end().how()).isEqualTo(how);
		assertThat(ended.attempts()).isEqualTo(attempts);
		assertThat(ended.end().at().toEpochMilli()).isBetween(from, this.partition.now());
		assertThat(ended.end().where()).isEqualTo(this.store.calls().process());
		assertThat(this.store.find(TestMessages.key("a")).map(MessageSnapshot::state))
			.contains((how == How.DEAD_LETTERED) ? MessageState.DEAD : MessageState.FINISHED);
	}

	static Stream<Arguments> eachEndIsWritten() {
		return Stream.of(end(How.ACKNOWLEDGED, 1, (test) -> test.store.acknowledge(test.taken())),
				end(How.ACKNOWLEDGED, 4, (test) -> {
					Entry taken = test.taken();
					test.partition.command("HSET", Key.FAILURES, "a", States.FAILED_TWICE);
					test.store.acknowledge(taken);
				}), end(How.EXPIRED, 0, (test) -> {
					Entry taken = test.taken();
					test.store.pending()
						.expire(test.store.partition(), TestStore.WINDOW,
								List.of(TestStore.acknowledgement(taken, TestStore.WINDOW)));
				}), end(How.DEAD_LETTERED, 1, (test) -> test.store.deadLetter(test.taken(), "it broke")),
				end(How.CANCELLED, 0, (test) -> {
					test.store.schedule("a", FAR, 1);
					test.store.cancel("a", 2);
				}), end(How.CANCELLED, 1, (test) -> {
					test.taken();
					test.store.cancel("a", 2);
				}), end(How.CANCELLED, 0, (test) -> {
					test.store.schedule(message("a", FAR));
					test.store.purgeGroup(GROUP, "a");
				}), end(How.PURGED, 0, (test) -> {
					test.store.schedule("a", FAR, 1);
					test.store.purge(false, "a");
				}), end(How.DISCARDED, 1, (test) -> {
					test.store.deadLetter(test.taken(), "it broke");
					test.store.discard("a");
				}), end(How.MOVED, 1, (test) -> {
					test.store.deadLetter(test.taken(), "it broke");
					long died = test.partition.dump().dead().get("a");
					assertThat(test.moved("a", died - 1)).isFalse();
					assertThat(test.moved("a", died)).isTrue();
				}), end(How.DROPPED, 0, (test) -> stored(test.dropping, "a", "b", "c")), end(How.DROPPED, 3, (test) -> {
					stored(test.dropping, "a", "b");
					test.partition.command("HSET", Key.FAILURES, "a", States.FAILED_TWICE);
					stored(test.dropping, "c");
				}), end(How.DROPPED, 0,
						(test) -> test.dropping.schedule(message("a", DUE), message("b", DUE), message("c", DUE))));
	}

	private static Arguments end(How how, int attempts, Consumer<HistoryIntegrationTests> act) {
		return Arguments.of(how, attempts, act);
	}

	private boolean moved(String id, long died) {
		return this.store.deadLetters()
			.moved(this.store.partition(), TestMessages.token(9), TestStore.WINDOW, new StoredId(id, null), died);
	}

	@Test
	void aHandledMessageAndADeadLetterTellHowLongTheirHandlersRan() {
		this.store.keep(WEEK);
		this.store.schedule(TestMessages.message("a", DUE, 1), TestMessages.message("b", DUE, 2),
				TestMessages.message("c", DUE, 3));
		List<Entry> taken = this.store.take("holder");
		Acknowledgement plain = TestStore.acknowledgement(taken.get(1), TestStore.WINDOW);
		Acknowledgement timed = TestStore.acknowledgement(taken.get(0), TestStore.WINDOW);
		this.store.pending()
			.acknowledge(this.store.partition(), TestStore.WINDOW, List.of(plain, new Acknowledgement(timed.entry(),
					timed.id(), timed.token(), timed.window(), Duration.ofMillis(1234))));
		this.store.deadLetter(taken.get(2),
				FailedAttempt.added("HANDLER_FAILED||" + "x".repeat(400), "here", 5, Duration.ofMillis(77), "at x"));

		assertThat(this.store.ends()).extracting((ended) -> ended.id() + " " + ended.end().took())
			.containsExactlyInAnyOrder("a PT1.234S", "b null", "c PT0.077S");
	}

	@Test
	void aMessageThatKillsItsProcessesEndsAsADeadLetterOfTheLastOne() {
		this.partition.command("HSET", Key.CONTROL, "history", WEEK);
		this.store.schedule("a", DUE, 1);
		for (int crash = 0; crash < TestStore.MAX_CRASHES; crash++) {
			this.store.take("consumer-" + crash);
			this.store.reclaim();
		}
		assertThat(this.store.ends()).extracting((ended) -> ended.end().how()).containsExactly(How.DEAD_LETTERED);
		assertThat(this.store.ends().get(0).end().where()).isEqualTo("consumer-2");
		assertThat(this.store.ends().get(0).attempts()).isEqualTo(TestStore.MAX_CRASHES);
	}

	@Test
	void aRepeatedCallAddsNothing() {
		this.store.keep(WEEK);
		this.store.schedule("a", DUE, 1);
		this.store.schedule("b", DUE, 2);
		this.store.schedule("c", DUE, 3);
		this.store.schedule("d", FAR, 4);
		this.store.schedule("e", FAR, 5);
		List<Entry> taken = this.store.take("holder");
		for (int run = 0; run < 2; run++) {
			this.store.acknowledge(taken.get(0));
			this.store.deadLetter(taken.get(1), "it broke");
			this.store.deadLetter(taken.get(2), "it broke");
			this.store.cancel("d", 50);
			this.store.repeating(51).purge(false, "e");
		}
		for (int run = 0; run < 2; run++) {
			this.store.repeating(52).discard("b");
			this.store.repeating(53).purge(true, "c");
		}
		assertThat(this.store.ends()).extracting((ended) -> ended.id() + " " + ended.end().how())
			.containsExactlyInAnyOrder("a ACKNOWLEDGED", "b DEAD_LETTERED", "c DEAD_LETTERED", "d CANCELLED",
					"e PURGED", "b DISCARDED", "c PURGED");
	}

	@Test
	void aRepeatOfADroppingCallAddsNothing() {
		this.store.keep(WEEK);
		for (int run = 0; run < 2; run++) {
			stored(this.dropping, "a", "b", "c");
		}
		assertThat(this.store.ends()).extracting(Ended::id).containsExactly("a");
		assertThat(this.store.ends().get(0).group()).isEqualTo(GROUP);
	}

	@Test
	void findPrefersTheLivingMessageThenTheLatestEnd() {
		this.store.keep(WEEK);
		this.store.acknowledge(taken());
		this.partition.command("DEL", Key.DONE);
		this.store.schedule("a", FAR, 2);
		assertThat(find("a").map(MessageSnapshot::state)).contains(MessageState.SCHEDULED);
		this.store.cancel("a", 3);
		MessageSnapshot found = find("a").orElseThrow();
		assertThat(found.state()).isEqualTo(MessageState.FINISHED);
		assertThat(found.end()).extracting(MessageEnd::how).isEqualTo(How.CANCELLED);
		assertThat(found.dueAt()).isNull();
		assertThat(found.headers()).isEmpty();
		assertThat(this.store.ends()).extracting((ended) -> ended.end().how())
			.containsExactly(How.CANCELLED, How.ACKNOWLEDGED);
		assertThat(find("b")).isEmpty();
	}

	@Test
	void aMessageOfAnotherGroupIsNotFound() {
		this.store.keep(WEEK);
		this.store.schedule(message("a", FAR));
		this.store.purgeGroup(GROUP, "a");
		assertThat(this.store.find(TestMessages.key("a").inGroup(GROUP))).isPresent();
		assertThat(this.store.find(TestMessages.key("a").inGroup("other"))).isEmpty();
	}

	@Test
	void theLastEndOfAnIdInEachGroupIsFound() {
		this.store.keep(WEEK);
		this.store.schedule("a", FAR, 1);
		this.store.cancel("a", 2);
		this.store.schedule(TestMessages.message("a", DUE, "g", 3));
		this.store.acknowledge(this.store.take("first").get(0));
		this.store.schedule(TestMessages.message("a", FAR, "h", 4));
		assertThat(end("g")).contains(How.ACKNOWLEDGED);
		this.store.cancel("a", 5);
		assertThat(end("g")).contains(How.ACKNOWLEDGED);
		assertThat(end("h")).contains(How.CANCELLED);
		this.store
			.schedule(TestMessages.onDuplicate(DuplicatePolicy.replace(), TestMessages.message("a", FAR, "g", 6)));
		this.store.cancel("a", 7);
		assertThat(end("g")).contains(How.CANCELLED);
		this.store.history().trim(this.store.partition(), 0);
		assertThat(this.partition.dump().otherKeys().keySet()).noneMatch((key) -> key.endsWith(":ends"));
	}

	private Optional<How> end(String group) {
		return this.store.find(TestMessages.key("a").inGroup(group)).map(MessageSnapshot::end).map(MessageEnd::how);
	}

	@Test
	void ofALongFailureTwoHundredCharactersAreKept() {
		this.store.keep(WEEK);
		this.store.deadLetter(taken(), "HANDLER_FAILED|some.Exception|" + "ä".repeat(300));
		String kept = this.store.ends().get(0).failure().reason();
		assertThat(kept).startsWith("HANDLER_FAILED|some.Exception|ää").doesNotContain("\ufffd");
		assertThat(Reply.bytes(kept)).hasSizeBetween(198, 200);
	}

	@Test
	void withoutAHistoryNothingIsWritten() {
		this.store.keep(History.OFF);
		Scenarios.all().filter((scenario) -> !scenario.name().contains("layout")).limit(200).forEach((scenario) -> {
			PartitionDump end = scenario.end();
			assertThat(end.otherKeys().keySet()).noneMatch((key) -> key.endsWith(":history") || key.endsWith(":ends"));
			assertThat(end.control()).doesNotContainKey("history");
		});
		assertThat(this.partition.dump().control()).doesNotContainKey("history");
	}

	@Test
	void afterTheClockHasGoneBackEndsAreStillWritten() {
		this.store.keep(WEEK);
		this.partition.command("XADD", Key.HISTORY, FAR + "-0", "e", "z\0C\0000\0here\0");
		this.store.acknowledge(taken());
		assertThat(this.store.ends()).extracting(Ended::id).containsExactly("a", "z");
	}

	@Test
	void aForeignKeyDoesNotKeepAMessageFromItsEndAndIsReported() {
		this.store.keep(WEEK);
		this.partition.command("SET", Key.HISTORY, "of another program");
		this.store.acknowledge(taken());
		assertThat(this.partition.dump().messages()).isEmpty();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.store.history().trim(this.store.partition()))
			.withMessageContaining("'" + this.partition.key(Key.HISTORY) + "'");
	}

}
