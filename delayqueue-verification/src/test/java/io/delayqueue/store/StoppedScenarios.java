package io.delayqueue.store;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stops a call of a {@link Scenario} after each of its writes, and checks that nothing is
 * lost, that everything can go on without the call, and that the call can be repeated.
 */
final class StoppedScenarios {

	private static final int NEW = 70;

	/** Scripts that store their counts, so that a repeat returns the same. */
	private static final Set<StoreScript> COUNTING = EnumSet.of(StoreScript.REDRIVE, StoreScript.DISCARD,
			StoreScript.PURGE);

	/**
	 * 2020-01-01: a due message with a later due time was made due by a call of the test.
	 */
	private static final long LONG_AGO = 1_577_836_800_000L;

	private final StoppedScripts scripts;

	StoppedScenarios(StoppedScripts scripts) {
		this.scripts = scripts;
	}

	/** Each check has a copy of the stopped partition. */
	void check(Scenario scenario) {
		Ended ended = Ended.of(scenario);
		forEachStop(scenario, (stopped) -> {
			keepsTheInvariantAndLosesNothing(stopped, ended);
			onACopy(stopped, StoppedScenarios::deliversEveryMessageThatIsDue);
			onACopy(stopped, StoppedScenarios::canScheduleTheIdAgainWithoutOldData);
			hasTheSameResultIfItIsRepeated(scenario, stopped, ended);
		});
	}

	/**
	 * A sweep finds the message between the stop of a retry and its repeat.
	 */
	void checkFailuresAfterASweep() {
		Scenario retry = new Scenario("settle: retry, pending", States.pending("a"),
				(store, held) -> store.retry(held.get(0), "it broke"));
		forEachStop(retry, (stopped) -> {
			stopped.store.sweep();
			stopped.store.retry(stopped.held.get(0), "it broke");
			String failure = stopped.partition.dump().failures().get("a");
			assertThat(failure).isNotNull();
			assertThat(FailureRecord.from(Reply.bytes(failure)).failures()).isEqualTo(1);
		});
	}

	/**
	 * A sweep finds messages of a group with limit 1 between the stop of a call that
	 * schedules them and its repeat.
	 */
	void checkTheLimitAfterASweep() {
		Scenario schedule = new Scenario("schedule: generated ids of a group", States.nothing(),
				(store, held) -> store.with(GroupStates.STRICT)
					.schedule(TestMessages.made(GroupStates.message("a", States.DUE, 7)),
							TestMessages.made(GroupStates.message("b", States.DUE, 8))));
		forEachStop(schedule, (stopped) -> {
			TestStore strict = stopped.store.with(GroupStates.STRICT);
			strict.sweep();
			schedule.when().call(stopped.store, stopped.held);
			strict.sweep();
			assertThat(strict.read("holder")).filteredOn((entry) -> entry.record() != null).hasSizeLessThanOrEqualTo(1);
		});
	}

	private void onACopy(Stopped stopped, Check check) {
		try (TestPartition copy = stopped.partition.copy()) {
			assertThat(copy.dump()).isEqualTo(stopped.now);
			check.accept(new Stopped(copy, this.scripts.storeOf(copy), stopped.held, stopped.before, stopped.now));
		}
	}

	private static void keepsTheInvariantAndLosesNothing(Stopped stopped, Ended ended) {
		assertThat(Audit.invariant(stopped.now, stopped.partition.now())).isEmpty();
		stopped.before.messages()
			.forEach((id, record) -> assertThat(stopped.now.messages().get(id)).as("record of %s", id)
				.isIn(record, ended.dump.messages().get(id)));
	}

	private static void hasTheSameResultIfItIsRepeated(Scenario scenario, Stopped stopped, Ended ended) {
		PartitionDump end = ended.dump;
		Object again = scenario.when().call(stopped.store, stopped.held);
		if (COUNTING.contains(scenario.script())) {
			assertThat(again).isEqualTo(ended.answer);
		}
		if (schedules(scenario) && !end.ids().containsAll(stopped.before.ids())) {
			// A repeat does not return the dropped messages of a stored one; the next
			// call completes the drop
			assertThat(stopped.partition.dump().messages()).containsAllEntriesOf(end.messages());
			return;
		}
		if (ended.groups && !end.ids().containsAll(stopped.partition.dump().ids())) {
			// A repeat that names no group does not find a message that has left its
			// group
			stopped.store.repair();
		}
		Map<String, Object> tidy = tidy(ended.groups, stopped.partition, stopped.held);
		if (schedules(scenario) && isNearer(end, stopped.before)
				&& !stopped.now.messages().equals(stopped.before.messages())) {
			// The message is due later than requested; the other order would deliver the
			// replaced message too early
			tidy.put("scheduled", ended.tidy.get("scheduled"));
		}
		assertThat(tidy).isEqualTo(ended.tidy);
		PartitionDump now = stopped.partition.dump();
		// The current crash may be missing, but is never counted twice
		end.failures()
			.keySet()
			.forEach((id) -> assertThat(crashes(end, id) - crashes(now, id)).as("crashes of %s", id).isBetween(0, 1));
		// A relative expiry may be moved twice, so that it is never too early
		end.expiries()
			.forEach((id, expiry) -> assertThat(Double.parseDouble(now.expiries().getOrDefault(id, expiry)))
				.isGreaterThanOrEqualTo(Double.parseDouble(expiry)));
	}

	private static void deliversEveryMessageThatIsDue(Stopped stopped) {
		stopped.partition.command("HDEL", Key.CONTROL, "paused", "draining", "holds");
		List<String> handled = Drain.of(stopped.store);
		stopped.held.forEach(stopped.store::acknowledge);
		handled.addAll(Drain.of(stopped.store));
		PartitionDump drained = stopped.partition.dump();
		assertThat(drained.stream().entries()).isEmpty();
		assertThat(drained.stream().pending()).isEmpty();
		assertThat(drained.entries()).isEmpty();
		stopped.now.messages().forEach((id, record) -> {
			if (drained.messages().containsKey(id)) {
				boolean waits = drained.scheduled().getOrDefault(id, 0L) > stopped.partition.now();
				assertThat(waits || drained.dead().containsKey(id)).as("%s is scheduled, parked or dead", id).isTrue();
			}
			else {
				boolean wasHeld = stopped.held.stream().anyMatch((entry) -> stored(entry).equals(id));
				assertThat(wasHeld || handled.contains(record)).as("%s was handled", id).isTrue();
				assertThat(drained.groups().groups())
					.noneMatch((member) -> member.endsWith(GroupDump.deadMember("", id)));
			}
		});
	}

	private static boolean schedules(Scenario scenario) {
		return scenario.script() == StoreScript.SCHEDULE;
	}

	/** Whether a waiting message becomes due earlier. */
	private static boolean isNearer(PartitionDump end, PartitionDump before) {
		return before.scheduled()
			.entrySet()
			.stream()
			.anyMatch((waiting) -> end.scheduled().getOrDefault(waiting.getKey(), Long.MAX_VALUE) < waiting.getValue());
	}

	private static void canScheduleTheIdAgainWithoutOldData(Stopped stopped) {
		if (isNothingButAnExpiry("a", stopped.before)) {
			// That is damage, which repair corrects
			return;
		}
		stopped.partition.command("HDEL", Key.CONTROL, "paused", "draining", "holds");
		PartitionDump before = stopped.partition.dump();
		Stored stored = stopped.store.schedule("a", States.DUE, NEW).stored();
		PartitionDump now = stopped.partition.dump();
		if (stored == Stored.CREATED) {
			assertThat(before.messages()).doesNotContainKey("a");
			assertThat(now.locations("a")).containsExactly(Key.SCHEDULED);
			assertThat(now.failures()).doesNotContainKey("a");
			assertThat(now.expiries()).doesNotContainKey("a");
			assertThat(now.groups().ids()).doesNotContain("a");
			stopped.held.forEach(stopped.store::acknowledge);
			assertThat(Drain.of(stopped.store)).containsOnlyOnce(TestMessages.record("a", States.DUE, NEW));
			assertThat(stopped.partition.dump().ids()).doesNotContain("a");
		}
		else {
			assertThat(before.messages().containsKey("a")).isNotEqualTo(stored == Stored.DONE);
			assertThat(now).isEqualTo(before);
		}
	}

	private static boolean isNothingButAnExpiry(String id, PartitionDump dump) {
		return dump.expiries().containsKey(id) && !dump.messages().containsKey(id) && dump.locations(id).isEmpty()
				&& !dump.failures().containsKey(id) && !dump.groups().ids().contains(id);
	}

	/**
	 * The content of a partition after consumers have released superseded entries and a
	 * sweep has unparked messages, without values that differ from run to run.
	 */
	private static Map<String, Object> tidy(boolean groups, TestPartition partition, List<Entry> held) {
		if (groups) {
			TestStore sweeper = partition.store().with(GroupStates.STRICT);
			sweeper.sweep();
			sweeper.sweep();
		}
		for (Entry entry : partition.store().read("tidy")) {
			if (entry.record() == null) {
				partition.store().release(1, entry);
			}
		}
		for (Entry entry : held) {
			if (!entry.entry().equals(partition.dump().entries().get(stored(entry)))) {
				partition.store().release(1, entry);
			}
		}
		PartitionDump dump = partition.dump();
		StreamDump stream = dump.stream();
		Map<String, Object> content = new TreeMap<>();
		content.put("messages", dump.messages());
		SortedMap<String, Long> scores = new TreeMap<>(dump.scheduled());
		scores.replaceAll((id, due) -> (due > LONG_AGO && due < partition.now() + 1) ? LONG_AGO : due);
		content.put("scheduled", scores);
		content.put("entries", dump.entries().keySet());
		content.put("current", dump.ids().stream().filter((id) -> dump.locations(id).contains(Key.ENTRIES)).toList());
		content.put("failures", failures(dump));
		content.put("dead", dump.dead().keySet());
		content.put("done", dump.done().keySet());
		content.put("expiries", dump.expiries().keySet());
		content.put("groups", dump.groups());
		SortedMap<String, String> control = new TreeMap<>(dump.control());
		control.replaceAll((name, value) -> name.matches("paused|draining") ? "since some time" : value);
		content.put("control", control);
		content.put("stream", stream.entries().values().stream().sorted().toList());
		content.put("pending",
				stream.pending()
					.entrySet()
					.stream()
					.map((lease) -> stream.entries().get(lease.getKey()) + " with " + lease.getValue())
					.sorted()
					.toList());
		content.put("otherKeys", dump.otherKeys());
		return content;
	}

	private static String stored(Entry entry) {
		return Reply.text(entry.storedId().toBytes());
	}

	/** Without the crashes. */
	private static Map<String, String> failures(PartitionDump dump) {
		Map<String, String> failures = new TreeMap<>(dump.failures());
		failures.replaceAll((id, failure) -> failure.replaceAll("\\d+-\\d+", "entry")
			.replaceFirst("^(\\d+)\\|\\d+\\|", "$1|crashes|"));
		failures.values().removeIf((failure) -> failure.equals("0|crashes|0||"));
		return failures;
	}

	private static int crashes(PartitionDump dump, String id) {
		String failure = dump.failures().get(id);
		return (failure != null) ? FailureRecord.from(Reply.bytes(failure)).crashes() : 0;
	}

	/** Makes a check after each stop. */
	void forEachStop(Scenario scenario, Check check) {
		for (int writes = 0;; writes++) {
			try (TestPartition partition = TestPartition.shared()) {
				List<Entry> held = scenario.given().prepare(partition);
				PartitionDump before = partition.dump();
				if (!this.scripts.stops(() -> scenario.when().call(this.scripts.storeOf(partition), held), writes)) {
					assertThat(writes > 0 || partition.dump().equals(before)).isTrue();
					return;
				}
				Stopped stopped = new Stopped(partition, this.scripts.storeOf(partition), held, before,
						partition.dump());
				try {
					check.accept(stopped);
				}
				catch (AssertionError fault) {
					throw new AssertionError(scenario + ", stopped after " + writes + " writes: " + fault.getMessage()
							+ "\nThere was " + before + "\nthen " + stopped.now + "\nand is " + partition.dump(),
							fault);
				}
			}
		}
	}

	@FunctionalInterface
	interface Check {

		/**
		 * Checks a stopped partition.
		 * @param stopped the partition
		 */
		void accept(Stopped stopped);

	}

	/**
	 * The state after a complete run of a call.
	 *
	 * @param answer the answer of the call
	 * @param dump the content of Redis
	 * @param groups whether it has messages with a group or an expiry
	 * @param tidy the content without values that differ from run to run
	 */
	private record Ended(Object answer, PartitionDump dump, boolean groups, Map<String, Object> tidy) {

		static Ended of(Scenario scenario) {
			try (TestPartition partition = TestPartition.shared()) {
				List<Entry> held = scenario.given().prepare(partition);
				boolean groups = Scenario.hasGroups(partition.dump());
				Object answer = scenario.when().call(partition.store(), held);
				PartitionDump dump = partition.dump();
				groups |= Scenario.hasGroups(dump);
				return new Ended(answer, dump, groups, StoppedScenarios.tidy(groups, partition, held));
			}
		}

	}

	/**
	 * A call that has stopped.
	 *
	 * @param partition the partition
	 * @param store its store, whose scripts do not stop
	 * @param held the entries that a consumer holds
	 * @param before the content of Redis before the call
	 * @param now the content after the stop
	 */
	record Stopped(TestPartition partition, TestStore store, List<Entry> held, PartitionDump before,
			PartitionDump now) {
	}

}
