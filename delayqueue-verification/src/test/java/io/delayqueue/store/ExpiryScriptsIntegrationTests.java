package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Repaired;
import io.delayqueue.store.Scenario.Given;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The expiry of a message: stored beside the record from the schedule call to its end,
 * and returned by a read.
 */
class ExpiryScriptsIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void theExpiryIsStoredBesideTheRecord() {
		this.store.schedule(expiring("after", FAR, Expiry.after(HOUR)), TestMessages.message("never", FAR, 2),
				expiring("at", FAR, Expiry.at(Instant.ofEpochMilli(FAR + 7))));
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("after", FAR, 1)
			.message("never", FAR, 2)
			.message("at", FAR, 1)
			.scheduled("after", FAR)
			.scheduled("never", FAR)
			.scheduled("at", FAR)
			// The half marks an expiry that is relative to the due time
			.expiry("after", FAR + HOUR.toMillis() + ".5")
			.expiry("at", Long.toString(FAR + 7))
			.build());
	}

	@Test
	void aRelativeExpiryIsComputedFromTheDueTimeByTheClockOfRedis() {
		NewMessage message = TestMessages.expiring(TestMessages.message("a", Due.in(HOUR), 1, "x"), Expiry.after(HOUR));
		Answer answer = this.store.schedule(message).get(0);
		assertThat(this.partition.dump().expiries())
			.isEqualTo(Map.of("a", answer.dueMillis() + HOUR.toMillis() + ".5"));
	}

	@Test
	void anExpiryIsRoundedUpToWholeMilliseconds() {
		this.store.schedule(expiring("a", DUE, Expiry.after(Duration.ofNanos(1_000_001))),
				expiring("b", DUE, Expiry.at(Instant.ofEpochMilli(DUE).plusNanos(1))));
		assertThat(this.partition.dump().expiries())
			.isEqualTo(Map.of("a", DUE + 2 + ".5", "b", Long.toString(DUE + 1)));
	}

	@Test
	void anExpiryBeforeTheDueTimeIsRefused() {
		List<Answer> answers = this.store.schedule(expiring("early", FAR, Expiry.at(Instant.ofEpochMilli(FAR - 1))),
				expiring("just", FAR, Expiry.at(Instant.ofEpochMilli(FAR))));
		assertThat(answers).extracting(Answer::stored).containsExactly(Stored.EXPIRES, Stored.CREATED);
		assertThat(this.partition.dump().ids()).containsExactly("just");
	}

	@Test
	void aReadReturnsTheExpiryAndDeliversExpiredMessagesToo() {
		this.store.schedule(expiring("after", DUE, Expiry.after(HOUR)), TestMessages.message("never", DUE, 2),
				expiring("past", DUE, Expiry.at(Instant.ofEpochMilli(DUE + 7))),
				expiring("far", DUE, Expiry.at(Instant.ofEpochMilli(FAR))));
		assertThat(this.store.take("holder")).extracting((entry) -> entry.id() + " " + entry.expiryMillis())
			.containsExactly("after " + (DUE + HOUR.toMillis()), "far " + FAR, "never -1", "past " + (DUE + 7));
	}

	@Test
	void aReadReturnsNoExpiryIfThereIsNone() {
		this.store.schedule("a", DUE, 1);
		assertThat(this.store.take("holder")).extracting(Entry::expiryMillis).containsExactly(-1L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "scheduled", "ready", "parked" })
	void aRelativeExpiryMovesWithTheDueTime(String state) {
		Given given = switch (state) {
			case "ready" -> GroupStates.ready("a");
			case "parked" -> GroupStates.parked();
			default -> GroupStates.scheduled("a");
		};
		given.prepare(this.partition);
		for (long due : new long[] { DUE + 5, DUE - 5, FAR, DUE, DUE }) {
			assertThat(this.store.reschedule("a", due).moved()).isEqualTo(Moved.RESCHEDULED);
			assertThat(this.partition.dump().expiries()).containsEntry("a\1g", due + States.LIFE.toMillis() + ".5");
		}
	}

	@Test
	void aRepeatedCallMovesTheExpiryOnce() {
		GroupStates.scheduled("a").prepare(this.partition);
		this.store.reschedule("a", FAR, TestMessages.token(61));
		PartitionDump before = this.partition.dump();
		assertThat(this.store.reschedule("a", FAR, TestMessages.token(61)).moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aFixedExpiryStaysAndRefusesLaterDueTimes() {
		this.store.schedule(expiring("a", DUE, Expiry.at(Instant.ofEpochMilli(FAR))));
		assertThat(this.store.reschedule("a", FAR).moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(this.store.reschedule("a", DUE).moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(this.partition.dump().expiries()).isEqualTo(Map.of("a", Long.toString(FAR)));
		PartitionDump before = this.partition.dump();
		assertThat(this.store.reschedule("a", FAR + 1).moved()).isEqualTo(Moved.EXPIRES);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@ParameterizedTest
	@CsvSource({ "it broke, true", "it broke, false", ", true" })
	void aRetryBeyondTheExpiryIsDueAtTheExpiry(String reason, boolean keepsSlot) {
		long expiry = this.partition.now() + HOUR.toMillis();
		this.store.schedule(expiring("at", DUE, Expiry.at(Instant.ofEpochMilli(expiry))),
				expiring("after", DUE + 1, Expiry.after(Duration.ofMillis(expiry - DUE - 1))),
				expiring("past", DUE + 2, Expiry.after(HOUR)));
		List<Entry> held = this.store.take("holder");
		held.forEach((entry) -> this.store.retry(entry, Duration.ofDays(1), reason, keepsSlot));
		assertThat(this.partition.dump().scheduled())
			.isEqualTo(Map.of("at", expiry, "after", expiry, "past", DUE + 2 + HOUR.toMillis()));
		assertThat(this.partition.dump().expiries()).hasSize(3);
	}

	@Test
	void aRetryBeforeTheExpiryKeepsItsDueTime() {
		this.store.schedule(expiring("a", DUE, Expiry.at(Instant.ofEpochMilli(FAR))));
		Settlements retried = this.store.retry(this.store.take("holder").get(0), HOUR, "it broke", false);
		assertThat(retried.headMillis()).isEqualTo(retried.nowMicros() / 1000 + HOUR.toMillis());
	}

	@Test
	void aRedrivenMessageHasNoExpiry() {
		GroupStates.dead().prepare(this.partition);
		assertThat(this.partition.dump().expiries()).containsOnlyKeys(this.partition.dump().stored("a"));
		assertThat(this.store.redrive("a").redriven()).isEqualTo(1);
		assertThat(this.partition.dump().expiries()).isEmpty();
		assertThat(this.store.take("holder")).extracting(Entry::expiryMillis).containsExactly(-1L);
	}

	@Test
	void aRefusedRedriveKeepsTheExpiry() {
		TestStore one = this.store.with(new GroupSettings(1, false, false, 1, null, null, Map.of()));
		GroupStates.dead().prepare(this.partition);
		GroupStates.scheduled("b").prepare(this.partition);
		assertThat(one.redrive("a").refused()).containsExactly(new StoredId("a", "g"));
		assertThat(this.partition.dump().expiries()).containsOnlyKeys("a\1g", "b\1g");
	}

	static Stream<Named<Scenario>> ends() {
		return Stream.of(end("acknowledge", GroupStates.pending("a"), (store, held) -> store.acknowledge(held.get(0))),
				end("cancel", GroupStates.scheduled("a"), (store, held) -> store.cancel("a", 50)),
				end("cancel ready", GroupStates.ready("a"), (store, held) -> store.cancel("a", 50)),
				end("cancel parked", GroupStates.parkedWithoutHead("a"), (store, held) -> store.cancel("a", 50)),
				end("cancel pending", GroupStates.pending("a"), (store, held) -> store.cancel("a", 50)),
				end("cancel dead", GroupStates.dead(), (store, held) -> store.cancel("a", 50)),
				end("discard", GroupStates.dead(), (store, held) -> store.discard("a")),
				end("purge", GroupStates.scheduled("a"), (store, held) -> store.purge(false, "a")),
				end("purge pending", GroupStates.pending("a"), (store, held) -> store.purge(false, "a")),
				end("purge dead", GroupStates.dead(), (store, held) -> store.purge(true, "a")),
				end("drop", GroupStates.scheduled("a"),
						(store, held) -> store.with(new GroupSettings(1, true, false, 1, null, null, Map.of()))
							.schedule(TestMessages.message("b", DUE, GroupStates.GROUP, 2))),
				end("replace", GroupStates.scheduled("a"),
						(store, held) -> store.schedule(TestMessages.onDuplicate(DuplicatePolicy.replace(),
								TestMessages.message("a", DUE, GroupStates.GROUP, 2)))),
				end("release without a record", States.ghost(GroupStates.pending("a")),
						(store, held) -> store.release(1, held.get(0))),
				end("retry without a record", States.ghost(GroupStates.pending("a")),
						(store, held) -> store.retry(held.get(0), "it broke")),
				end("dead-letter without a record", States.ghost(GroupStates.pending("a")),
						(store, held) -> store.deadLetter(held.get(0), "it broke")),
				end("reclaim without a record", States.ghost(GroupStates.pending("a")),
						(store, held) -> store.reclaim().lost()),
				end("schedule without a record", States.ghost(GroupStates.scheduled("a")),
						(store, held) -> store.schedule(TestMessages.message("a", DUE, GroupStates.GROUP, 2))),
				end("repair without a record", States.ghost(GroupStates.scheduled("a")),
						(store, held) -> store.repair()));
	}

	@ParameterizedTest
	@MethodSource("ends")
	void theExpiryIsRemovedWithTheMessage(Scenario end) {
		List<Entry> held = end.given().prepare(this.partition);
		assertThat(this.partition.dump().expiries()).containsOnlyKeys(this.partition.dump().stored("a"));
		end.when().call(this.store, held);
		assertThat(this.partition.dump().expiries()).isEmpty();
	}

	@Test
	void theExpiryStaysFromAttemptToAttempt() {
		GroupStates.scheduled("a").prepare(this.partition);
		Map<String, String> expiries = Map.copyOf(this.partition.dump().expiries());
		this.store.release(DUE, this.store.take("holder").get(0));
		this.store.retry(this.store.take("holder").get(0), "it broke");
		this.store.take("holder");
		this.store.reclaim();
		assertThat(this.store.take("holder")).extracting(Entry::expiryMillis)
			.containsExactly(DUE + States.LIFE.toMillis());
		assertThat(this.partition.dump().expiries()).isEqualTo(expiries);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void aDuplicateDoesNotChangeTheExpiry() {
		GroupStates.scheduled("a").prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(TestMessages.message("a", FAR, GroupStates.GROUP, 2)).get(0).stored())
			.isEqualTo(Stored.DUPLICATE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aRemainingExpiryIsRemoved() {
		this.store.schedule("b", FAR, 1);
		this.partition.command("ZADD", Key.EXPIRIES, "5000", "a", "6000", "b");
		assertThat(this.store.repair()).containsExactly(new Repaired(Damage.LEFT_OVER, new StoredId("a", null)));
		assertThat(this.partition.dump().expiries()).isEqualTo(Map.of("b", "6000"));
	}

	private static Named<Scenario> end(String name, Given given, Scenario.When when) {
		return Named.of(name, new Scenario("schedule: " + name, given, when));
	}

	private static NewMessage expiring(String id, long dueMillis, Expiry expiry) {
		return TestMessages.expiring(TestMessages.message(id, dueMillis, 1), expiry);
	}

}
