package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.MessageKey;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.KnownMessages.CancelAnswer;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.OracleUpkeep.RemovalCall;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.PendingMessages.Death;
import io.delayqueue.store.PendingMessages.Release;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes calls for a partition. Compares each answer with the oracle until a script stops
 * or a hold begins, and always with the guarantees.
 */
final class CheckedCalls {

	private static final GroupSettings LIMITS = Draw.groups(0, false, false);

	private final TestPartition partition;

	private final TestStore store;

	private final Oracle oracle;

	private final Guarantees guarantees = new Guarantees(LIMITS);

	/** Whether the oracle knows the content of Redis. */
	private boolean isKnown = true;

	/** The group behind which the next sweep continues. */
	private String behind = "";

	/** The last call. */
	private Runnable last = () -> {
	};

	private final List<Entry> deliveries = new ArrayList<>();

	private final List<String> log = new ArrayList<>();

	private final Set<Enum<?>> answers = new HashSet<>();

	CheckedCalls(TestPartition partition, TestStore store, Oracle oracle) {
		this.partition = partition;
		this.store = store;
		this.oracle = oracle;
	}

	Guarantees guarantees() {
		return this.guarantees;
	}

	/** Whether the oracle knows the content of Redis: no script has stopped. */
	boolean isKnown() {
		return this.isKnown;
	}

	/** The last call stopped half-way. */
	void stopped() {
		this.log.add("  it stopped");
		this.isKnown = false;
		this.guarantees.stopped();
	}

	/** Repeats the last call. */
	void repeat() {
		this.log.add("again:");
		this.last.run();
	}

	private <T> void compare(T answer, Supplier<T> expected) {
		if (this.isKnown) {
			assertThat(answer).isEqualTo(expected.get());
		}
	}

	/** The calls so far, a line for each. */
	List<String> log() {
		return this.log;
	}

	/** All answers of the store so far. */
	Set<Enum<?>> answers() {
		return this.answers;
	}

	/** The messages that consumers have read, settled or not. */
	List<Entry> deliveries() {
		return this.deliveries;
	}

	void schedule(List<NewMessage> call, GroupSettings groups) {
		this.last = () -> schedule(call, groups);
		this.log.add("schedule " + call.stream()
			.map((message) -> message.id() + " of " + message.group() + " at " + message.due() + " by "
					+ Reply.text(message.envelope()).substring(0, CallToken.LENGTH) + ", " + message.onDuplicate()
					+ ", expires " + message.expiry())
			.toList() + " " + groups);
		this.guarantees.schedules(call, groups);
		Answers answers = this.store.schedule(this.store.partition(), this.store.with(groups).settings(), call);
		compare(answers, () -> this.oracle.schedule(call, groups, answers.nowMicros()));
		this.guarantees.scheduled(answers.answers());
		answers.answers().forEach((answer) -> this.answers.add(answer.stored()));
		answers.answers().stream().mapToLong(Answer::dueMillis).forEach((due) -> pass(due, answers.nowMicros() / 1000));
	}

	/** Waits until a message that is due within the next moment is due. */
	private void pass(long dueMillis, long nowMillis) {
		if (dueMillis > nowMillis && dueMillis <= nowMillis + Draw.SHORT.toMillis()) {
			Awaitility.await().pollInterval(Draw.SHORT).until(() -> this.partition.now() >= dueMillis);
		}
	}

	void sweep(int batchSize, int highWaterMark) {
		this.last = () -> sweep(batchSize, highWaterMark);
		this.log.add("sweep " + batchSize + " up to " + highWaterMark);
		this.guarantees.begins();
		Swept swept = this.store.with(LIMITS).sweep(batchSize, highWaterMark, this.behind);
		compare(swept, () -> this.oracle.sweep(batchSize, highWaterMark,
				(group) -> LIMITS.limitOf(group, TestStore.CONCURRENCY), this.behind, swept.read().nowMicros()));
		this.behind = swept.behind();
	}

	void read(String consumer, int count, boolean isLost) {
		this.last = () -> read(consumer, count, isLost);
		this.guarantees.begins();
		Read read = this.store.ready().read(this.store.partition(), consumer, count);
		List<Entry> entries = read.entries();
		this.log.add(consumer + " reads " + count + (isLost ? ", and the answer is lost: " : ": ")
				+ entries.stream().map(CheckedCalls::shown).toList());
		if (!isLost) {
			this.deliveries.addAll(entries);
			this.guarantees.delivered(entries, read.nowMicros() / 1000);
		}
		if (!this.isKnown) {
			return;
		}
		List<OracleMessage> expected = this.oracle.read(consumer, count);
		assertThat(entries).extracting(Entry::entry).isEqualTo(expected.stream().map(OracleMessage::entry).toList());
		assertThat(entries).extracting((entry) -> (entry.record() != null) ? Reply.text(entry.record()) : null)
			.isEqualTo(expected.stream().map(OracleMessage::record).toList());
		assertThat(entries).extracting(Entry::expiryMillis)
			.isEqualTo(expected.stream().map(OracleMessage::expiryMillis).toList());
		assertThat(entries).extracting(Entry::failures)
			.isEqualTo(expected.stream().map(OracleMessage::failures).toList());
	}

	void acknowledge(List<Entry> batch, boolean lasts) {
		this.last = () -> acknowledge(batch, lasts);
		if (!batch.isEmpty()) {
			this.log.add("acknowledge " + shown(batch) + (lasts ? "" : ", the window ends at once"));
			this.guarantees.handled(batch, lasts);
			Settlements settled = this.store.pending()
				.acknowledge(this.store.partition(), window(lasts),
						batch.stream().map((entry) -> TestStore.acknowledgement(entry, window(lasts))).toList());
			compare(settled, () -> this.oracle.settlements().acknowledge(batch, lasts));
			this.guarantees.settled(batch, settled.each());
			this.answers.addAll(settled.each());
		}
	}

	void release(List<Entry> batch, long dueMillis) {
		this.last = () -> release(batch, dueMillis);
		if (!batch.isEmpty()) {
			this.log.add("release " + shown(batch) + " at " + dueMillis);
			this.guarantees.settles(batch);
			Settlements settled = this.store.pending()
				.settle(this.store.partition(),
						batch.stream()
							.map((entry) -> new Release(entry.entry(), entry.storedId(), dueMillis, true))
							.toList());
			compare(settled, () -> this.oracle.settlements().release(batch, dueMillis, settled.nowMicros()));
			this.guarantees.settled(batch, settled.each());
		}
	}

	void deadLetter(Entry entry, boolean countsOn) {
		this.last = () -> deadLetter(entry, countsOn);
		Death death = new Death(entry.entry(), entry.storedId(), "it broke", true, countsOn);
		this.log.add("dead-letter " + shown(entry) + ", " + death);
		this.guarantees.settles(List.of(entry));
		Settlements settled = this.store.pending().settle(this.store.partition(), List.of(death));
		compare(settled, () -> this.oracle.settlements().deadLetter(entry, death, settled.nowMicros()));
		this.guarantees.settled(List.of(entry), settled.each());
	}

	void retry(Entry entry, Duration wait, @Nullable String reason, boolean keepsSlot) {
		this.last = () -> retry(entry, wait, reason, keepsSlot);
		this.log.add((reason != null ? "retry " : "defer ") + shown(entry) + " in " + wait
				+ (keepsSlot ? " with its slot" : ""));
		this.guarantees.settles(List.of(entry));
		Settlements retried = this.store.retry(entry, wait, reason, keepsSlot);
		compare(retried, () -> this.oracle.settlements().retry(entry, wait, reason, keepsSlot, retried.nowMicros()));
		this.guarantees.settled(List.of(entry), retried.each());
		this.answers.addAll(retried.each());
	}

	void reclaim(boolean alone, boolean countDead) {
		this.last = () -> reclaim(alone, countDead);
		this.log.add("reclaim" + (alone ? " alone" : "") + (countDead ? ", and count the dead" : ""));
		TestStore counting = this.store.with(Draw.groups(0, false, countDead));
		this.guarantees.reclaims();
		Found found = alone ? counting.reclaim() : counting.reclaimBesideOthers();
		compare(found.messages(),
				() -> this.oracle.repairService()
					.reclaim(found.nowMicros(), alone ? TestStore.MAX_CRASHES : Integer.MAX_VALUE, "it fell silent",
							countDead));
	}

	void redrive(RemovalCall call, List<Redrive> batch, int quota) {
		this.last = () -> redrive(call, batch, quota);
		if (!batch.isEmpty()) {
			this.log.add("redrive " + batch + " up to " + quota + ", " + call);
			this.guarantees.redrives();
			Redriven redriven = this.store.deadLetters()
				.redrive(this.store.partition(), call.token(), window(call.lasts()), quota, batch);
			compare(redriven, () -> this.oracle.repairService().redrive(call, batch, quota, redriven.nowMicros()));
		}
	}

	void discard(RemovalCall call, List<StoredId> ids) {
		this.last = () -> discard(call, ids);
		if (!ids.isEmpty()) {
			this.log.add("discard " + ids + ", " + call);
			this.guarantees.ends(ids.stream(), call.lasts());
			int discarded = this.store.deadLetters()
				.discard(this.store.partition(), call.token(), window(call.lasts()), ids);
			compare(discarded, () -> this.oracle.repairService().discard(call, ids));
		}
	}

	void cancel(CancelCall call) {
		this.last = () -> cancel(call);
		this.log.add("cancel " + call);
		this.guarantees.ends(meant(call.key()), call.lasts());
		CancelAnswer answer = this.store.known()
			.cancel(this.store.candidate(call.key()), call.token(), window(call.lasts()));
		compare(answer, () -> this.oracle.cancel(call.key(), call.token(), call.lasts(), this.partition.now()));
		this.answers.add(answer.cancelled());
	}

	void reschedule(MoveCall call) {
		this.last = () -> reschedule(call);
		this.log.add("reschedule " + call);
		this.guarantees.ends(meant(call.key()), call.lasts());
		MoveAnswer answer = this.store.known()
			.reschedule(this.store.candidate(call.key()), call.due(), TestStore.MAX_DELAY, call.token(),
					window(call.lasts()));
		compare(answer,
				() -> this.oracle.reschedule(call.key(), call.due(), call.token(), call.lasts(), answer.nowMicros()));
		this.answers.add(answer.moved());
	}

	private Stream<StoredId> meant(MessageKey key) {
		return this.guarantees.named(key.id())
			.filter((stored) -> key.group() == null || key.group().equals(stored.group()));
	}

	void purge(RemovalCall call, List<StoredId> ids, boolean deadLetters) {
		this.last = () -> purge(call, ids, deadLetters);
		if (!ids.isEmpty()) {
			this.log.add("purge " + ids + (deadLetters ? " with dead letters" : "") + ", " + call);
			this.guarantees.ends(ids.stream(), call.lasts());
			Purged purged = new Purges(this.store.calls(), HeldMessages.IGNORED).purge(this.store.partition(),
					call.token(), window(call.lasts()), deadLetters, false, ids);
			compare(purged, () -> this.oracle.purge(call, ids, deadLetters));
		}
	}

	void pause(boolean on) {
		this.last = () -> pause(on);
		turn(Switch.PAUSED, on);
		this.oracle.pause(on);
	}

	void drain(boolean on) {
		this.last = () -> drain(on);
		turn(Switch.DRAINING, on);
		this.oracle.drain(on);
	}

	private void turn(Switch which, boolean on) {
		this.log.add(which + (on ? " begins" : " ends"));
		this.guarantees.begins();
		this.store.partitionControl().turn(this.store.partition(), which, on);
		if (on) {
			this.partition.command("HSET", Key.CONTROL, which.name().toLowerCase(Locale.ROOT),
					Long.toString(Oracle.SINCE));
		}
	}

	/** Repairs what stopped scripts have left. */
	void repair() {
		this.last = () -> repair();
		this.log.add("repair");
		this.guarantees.begins();
		compare(this.store.repair(), List::of);
	}

	/** Holds a group, or with an empty name the partition. The oracle knows no holds. */
	void hold(String group) {
		this.last = () -> hold(group);
		this.log.add("hold " + group);
		this.isKnown = false;
		this.guarantees.begins();
		new Holds(this.store.calls()).hold(this.store.partition(),
				States.hold(group.isEmpty() ? null : group, States.FAR));
		this.guarantees.held(group);
	}

	/** Ends the hold of a group, or with an empty name all holds. */
	void endHold(String group) {
		this.last = () -> endHold(group);
		this.log.add("end hold " + group);
		this.guarantees.releases(group);
		Holds holds = new Holds(this.store.calls());
		if (group.isEmpty()) {
			holds.endAll(this.store.partition());
		}
		else {
			holds.end(this.store.partition(), group);
		}
	}

	private static Duration window(boolean lasts) {
		return lasts ? TestStore.WINDOW : Duration.ZERO;
	}

	private static List<String> shown(List<Entry> entries) {
		return entries.stream().map(CheckedCalls::shown).toList();
	}

	private static String shown(Entry entry) {
		return entry.storedId() + " of " + entry.entry();
	}

	record CancelCall(MessageKey key, String token, boolean lasts) {
	}

	record MoveCall(MessageKey key, Due due, String token, boolean lasts) {
	}

}
