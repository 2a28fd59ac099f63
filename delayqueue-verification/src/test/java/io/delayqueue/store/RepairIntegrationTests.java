package io.delayqueue.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Repaired;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The audit finds damage from outside the library, and repair corrects it: only messages
 * without a record are lost, and no message is delivered early.
 */
class RepairIntegrationTests {

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	static Stream<Arguments> damages() {
		return Stream.of(damage("DEL scheduled", (partition) -> partition.command("DEL", Key.SCHEDULED)),
				damage("DEL ready", (partition) -> partition.command("DEL", Key.READY)),
				damage("DEL entries", (partition) -> partition.command("DEL", Key.ENTRIES)),
				damage("DEL dead", (partition) -> partition.command("DEL", Key.DEAD)),
				damage("RENAME ready", (partition) -> partition.command("RENAME", Key.READY, renamed(partition))),
				damage("XGROUP DESTROY", (partition) -> partition.consumerGroup("DESTROY")),
				damage("DELCONSUMER", (partition) -> partition.consumerGroup("DELCONSUMER", "holder")),
				damage("group re-created at the end", (partition) -> {
					partition.consumerGroup("DESTROY");
					partition.consumerGroup("CREATE", "$");
				}), damage("DEL of all but the records", (partition) -> {
					for (Key key : List.of(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.FAILURES)) {
						partition.command("DEL", key);
					}
				}), damage("entries of a foreign form", (partition) -> partition.command("HSET", Key.ENTRIES, "ready-1",
						"nonsense", "pending-1", "1-1")));
	}

	private static Arguments damage(String name, Consumer<TestPartition> damage) {
		return Arguments.of(name, damage);
	}

	/** The key to which one of the damages renames the stream. */
	private static String renamed(TestPartition partition) {
		return partition.key(Key.READY) + ":renamed";
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("damages")
	void everyMessageIsDeliveredOrScheduledOrDead(String name, Consumer<TestPartition> damage) {
		Set<String> due = someOfEach();
		damage.accept(this.partition);

		List<Repaired> repaired = this.store.repair();

		assertThat(repaired).extracting(Repaired::damage).doesNotContain(Damage.LOST);
		assertRepairedAndDelivered(due);
		this.partition.redis().call("DEL", renamed(this.partition));
	}

	/** Stopped after each of its writes, for each kind of damage. */
	@ParameterizedTest(name = "{0}")
	@MethodSource("damages")
	void aRepairThatStoppedHalfWayIsCompletedByTheNext(String name, Consumer<TestPartition> damage) {
		for (int writes = 0;; writes++) {
			try (TestPartition own = TestPartition.shared()) {
				Set<String> due = someOfEach(own);
				damage.accept(own);
				PartitionDump before = own.dump();
				boolean stopped = scripts.stops(() -> scripts.storeOf(own).repair(), writes);
				assertThat(own.dump().messages()).isEqualTo(before.messages());
				assertThat(placed(own.dump())).as("every message that was in a state stays in one")
					.containsAll(placed(before));
				own.store().repair();
				assertRepairedAndDelivered(own, due);
				own.redis().call("DEL", renamed(own));
				if (!stopped) {
					return;
				}
			}
		}
	}

	private static Set<String> placed(PartitionDump dump) {
		Set<String> placed = new HashSet<>();
		dump.messages().keySet().stream().filter((id) -> !dump.locations(id).isEmpty()).forEach(placed::add);
		return placed;
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("damages")
	void theAuditFindsTheDamage(String name, Consumer<TestPartition> damage) {
		someOfEach();
		assertThat(this.store.audit().mismatch().isNone()).isTrue();
		if (name.equals("DELCONSUMER")) {
			// Distinguished from undelivered entries only if there are none
			this.store.read("other");
		}
		if (name.equals("entries of a foreign form")) {
			return;
		}
		damage.accept(this.partition);

		boolean harmless = name.equals("XGROUP DESTROY");
		assertThat(this.store.audit().mismatch().isNone()).isEqualTo(harmless);

		this.store.repair();
		assertThat(this.store.audit().mismatch().isNone()).isTrue();
		this.partition.redis().call("DEL", renamed(this.partition));
	}

	@Test
	void missingRecordsAreReportedAsLostAndTheirRemainsRemoved() {
		someOfEach();
		Set<String> known = this.partition.dump().messages().keySet();
		this.partition.command("DEL", Key.MESSAGES);
		assertThat(this.store.audit().mismatch().withoutPlace()).isNegative();

		List<Repaired> repaired = this.store.repair();

		assertThat(repaired).allMatch((one) -> one.damage() == Damage.LOST);
		assertThat(repaired).extracting((one) -> Reply.text(one.id().toBytes()))
			.containsExactlyInAnyOrderElementsOf(known);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.ids()).isEmpty();
		assertThat(dump.stream().entries()).isEmpty();
		assertThat(dump.stream().pending()).isEmpty();
		assertThat(this.store.schedule("ready-1", States.DUE, 9).stored()).isEqualTo(ScheduledMessages.Stored.CREATED);
	}

	@Test
	void aReadyMessageThatIsAlsoScheduledIsOnlyReady() {
		this.store.schedule("a", States.DUE, 1);
		this.store.sweep();
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(States.FAR), "a");

		assertThat(this.store.repair()).containsExactly(new Repaired(Damage.TWO_PLACES, new StoredId("a", null)));
		assertThat(this.partition.dump().scheduled()).isEmpty();
		assertThat(this.store.take("holder")).extracting(Entry::id).containsExactly("a");
	}

	/** As a script that stopped half-way leaves it. */
	@Test
	void aMessageThatIsScheduledForLaterHasNoSlotInItsGroup() {
		this.store.schedule(TestMessages.message("a", States.FAR, "g", 1));
		PartitionDump before = this.partition.dump();
		this.partition.command("ZADD", Key.ACTIVE, "0", "g\0a\1g");

		assertThat(this.store.repair()).containsExactly(new Repaired(Damage.LEFT_OVER, new StoredId("a", "g")));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void remainsOfAFinishedMessageAreNotReportedAsLost() {
		States.finished().prepare(this.partition);
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(States.FAR), "a");

		assertThat(this.store.repair()).containsExactly(new Repaired(Damage.LEFT_OVER, new StoredId("a", null)));
		assertThat(this.partition.dump().scheduled()).isEmpty();
	}

	@Test
	void aMessageThatWouldBeDeliveredEarlyIsMovedBackToItsDueTime() {
		this.store.schedule("a", States.FAR, 1);
		this.partition.command("ZADD", Key.SCHEDULED, "5", "a");

		assertThat(this.store.repair()).containsExactly(new Repaired(Damage.EARLY, new StoredId("a", null)));
		assertThat(this.partition.dump().scheduled()).containsEntry("a", States.FAR);
	}

	@Test
	void aMessageScheduledLaterThanItsRecordIsNotChanged() {
		States.dead().prepare(this.partition);
		this.store.redrive("a");
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(States.FAR), "a");

		assertThat(this.store.repair()).isEmpty();
		assertThat(this.partition.dump().scheduled()).containsEntry("a", States.FAR);
	}

	@Test
	void deletedFailuresLoseOnlyTheFailures() {
		Set<String> due = someOfEach();
		this.partition.command("DEL", Key.FAILURES);

		assertThat(this.store.repair()).isEmpty();
		assertRepairedAndDelivered(due);
	}

	@Test
	void aRunningHandlerKeepsItsMessage() {
		States.pending("a", "b").prepare(this.partition);
		List<Entry> held = this.store.take("holder");
		PartitionDump before = this.partition.dump();

		assertThat(this.store.repair()).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(held).isEmpty();
	}

	@Test
	void aRecordOfAnotherFormIsDueNow() {
		this.partition.command("HSET", Key.MESSAGES, "odd", "x");

		assertThat(this.store.repair()).containsExactly(new Repaired(Damage.NO_PLACE, new StoredId("odd", null)));
		assertThat(this.partition.dump().scheduled().get("odd")).isLessThanOrEqualTo(this.partition.now());
	}

	@Test
	void correctMessagesAreNotWritten() {
		someOfEach();
		PartitionDump before = this.partition.dump();
		long changes = changes();

		assertThat(this.store.repair()).isEmpty();
		this.store.audit();

		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(changes()).isEqualTo(changes);
	}

	/** A misplaced message may become correct between the listing and its repair. */
	@Test
	void messagesCorrectedMeanwhileAreNotWritten() {
		someOfEach();
		PartitionDump before = this.partition.dump();
		List<byte[]> arguments = new ArrayList<>(List.of(Reply.bytes(1_000_000)));
		before.messages().keySet().forEach((id) -> {
			arguments.add(Reply.bytes(id));
			arguments.add(Reply.bytes(before.entries().getOrDefault(id, "")));
		});

		Reply reply = this.store.calls().run(StoreScript.REPAIR, this.store.partition(), arguments);

		assertThat(reply.size()).as("a status and a count: all processed, none repaired").isEqualTo(2);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private long changes() {
		return String.valueOf(this.partition.redis().text("INFO", "persistence"))
			.lines()
			.filter((line) -> line.startsWith("rdb_changes_since_last_save:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
			.findFirst()
			.orElseThrow();
	}

	private Set<String> someOfEach() {
		return someOfEach(this.partition);
	}

	/**
	 * Messages in every state, two of each.
	 * @return the ids that are due and not dead
	 */
	private static Set<String> someOfEach(TestPartition partition) {
		TestStore store = partition.store();
		for (String id : List.of("dead-1", "dead-2", "pending-1", "pending-2", "failed-1")) {
			store.schedule(id, States.DUE, 1);
		}
		for (Entry entry : store.take("holder")) {
			if (entry.id().startsWith("dead")) {
				store.deadLetter(entry, "it broke");
			}
			else if (entry.id().startsWith("failed")) {
				store.retry(entry, "it broke");
			}
		}
		store.schedule("ready-1", States.DUE, 1);
		store.schedule("ready-2", States.DUE, 1);
		store.sweep();
		store.schedule("overdue-1", States.DUE, 1);
		store.schedule("far-1", States.FAR, 1);
		store.schedule("far-2", States.FAR, 1);
		return new HashSet<>(Set.of("pending-1", "pending-2", "failed-1", "ready-1", "ready-2", "overdue-1"));
	}

	private void assertRepairedAndDelivered(Set<String> due) {
		assertRepairedAndDelivered(this.partition, due);
	}

	private static void assertRepairedAndDelivered(TestPartition partition, Set<String> due) {
		TestStore store = partition.store();
		PartitionDump repaired = partition.dump();
		assertThat(Audit.invariant(repaired, partition.now()).stream().filter((fault) -> !fault.contains("renamed")))
			.isEmpty();
		assertThat(store.repair()).as("repaired by a second pass").isEmpty();
		store.reclaim();
		Set<String> handled = new HashSet<>();
		Drain.of(store).forEach((record) -> handled.add(record.replaceAll("(?s).*payload of ([^ ]+) by.*", "$1")));
		PartitionDump drained = partition.dump();
		assertThat(handled).containsAll(due).doesNotContain("far-1", "far-2");
		assertThat(drained.messages()).containsKeys("far-1", "far-2");
		assertThat(drained.scheduled()).containsEntry("far-1", States.FAR).containsEntry("far-2", States.FAR);
		for (String dead : List.of("dead-1", "dead-2")) {
			assertThat(handled.contains(dead) || drained.dead().containsKey(dead)).as(dead).isTrue();
		}
		assertThat(
				Audit.order(drained, partition.now(), Set.of()).stream().filter((fault) -> !fault.contains("renamed")))
			.isEmpty();
		assertThat(store.audit().mismatch().isNone()).isTrue();
	}

}
