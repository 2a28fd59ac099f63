package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

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
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes calls for a partition and compares each answer with the oracle.
 */
final class CheckedCalls {

	private final TestPartition partition;

	private final TestStore store;

	private final Oracle oracle;

	/** The group behind which the next sweep continues. */
	private String behind = "";

	private final List<Entry> deliveries = new ArrayList<>();

	private final List<String> log = new ArrayList<>();

	private final Set<Enum<?>> answers = new HashSet<>();

	CheckedCalls(TestPartition partition, Oracle oracle) {
		this.partition = partition;
		this.store = partition.store();
		this.oracle = oracle;
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
		this.log.add("schedule " + call.stream()
			.map((message) -> message.id() + " of " + message.group() + " at " + message.due() + " by "
					+ Reply.text(message.envelope()).substring(0, CallToken.LENGTH) + ", " + message.onDuplicate()
					+ ", expires " + message.expiry())
			.toList() + " " + groups);
		Answers answers = this.store.schedule(this.store.partition(), this.store.with(groups).settings(), call);
		assertThat(answers).isEqualTo(this.oracle.schedule(call, groups, answers.nowMicros()));
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
		this.log.add("sweep " + batchSize + " up to " + highWaterMark);
		GroupSettings groups = Draw.groups(0, false, false);
		Swept swept = this.store.with(groups).sweep(batchSize, highWaterMark, this.behind);
		assertThat(swept).isEqualTo(this.oracle.sweep(batchSize, highWaterMark,
				(group) -> groups.limitOf(group, TestStore.CONCURRENCY), this.behind, swept.read().nowMicros()));
		this.behind = swept.behind();
	}

	void read(String consumer, int count) {
		List<Entry> entries = this.store.ready().read(this.store.partition(), consumer, count).entries();
		this.log.add(consumer + " reads " + count + ": " + entries.stream().map(CheckedCalls::shown).toList());
		this.deliveries.addAll(entries);
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
		if (!batch.isEmpty()) {
			this.log.add("acknowledge " + shown(batch) + (lasts ? "" : ", the window ends at once"));
			Settlements settled = this.store.pending()
				.acknowledge(this.store.partition(), window(lasts),
						batch.stream().map((entry) -> TestStore.acknowledgement(entry, window(lasts))).toList());
			assertThat(settled).isEqualTo(this.oracle.settlements().acknowledge(batch, lasts));
			this.answers.addAll(settled.each());
		}
	}

	void release(List<Entry> batch, long dueMillis) {
		if (!batch.isEmpty()) {
			this.log.add("release " + shown(batch) + " at " + dueMillis);
			Settlements settled = this.store.pending()
				.settle(this.store.partition(),
						batch.stream()
							.map((entry) -> new Release(entry.entry(), entry.storedId(), dueMillis, true))
							.toList());
			assertThat(settled).isEqualTo(this.oracle.settlements().release(batch, dueMillis, settled.nowMicros()));
		}
	}

	void deadLetter(Entry entry, boolean countsOn) {
		Death death = new Death(entry.entry(), entry.storedId(), "it broke", true, countsOn);
		this.log.add("dead-letter " + shown(entry) + ", " + death);
		Settlements settled = this.store.pending().settle(this.store.partition(), List.of(death));
		assertThat(settled).isEqualTo(this.oracle.settlements().deadLetter(entry, death, settled.nowMicros()));
	}

	void retry(Entry entry, Duration wait, @Nullable String reason, boolean keepsSlot) {
		this.log.add((reason != null ? "retry " : "defer ") + shown(entry) + " in " + wait
				+ (keepsSlot ? " with its slot" : ""));
		Settlements retried = this.store.retry(entry, wait, reason, keepsSlot);
		assertThat(retried)
			.isEqualTo(this.oracle.settlements().retry(entry, wait, reason, keepsSlot, retried.nowMicros()));
		this.answers.addAll(retried.each());
	}

	void reclaim(boolean alone, boolean countDead) {
		this.log.add("reclaim" + (alone ? " alone" : "") + (countDead ? ", and count the dead" : ""));
		TestStore counting = this.store.with(Draw.groups(0, false, countDead));
		Found found = alone ? counting.reclaim() : counting.reclaimBesideOthers();
		assertThat(found.messages()).isEqualTo(this.oracle.repairService()
			.reclaim(found.nowMicros(), alone ? TestStore.MAX_CRASHES : Integer.MAX_VALUE, "it fell silent",
					countDead));
	}

	void redrive(RemovalCall call, List<Redrive> batch, int quota) {
		if (!batch.isEmpty()) {
			this.log.add("redrive " + batch + " up to " + quota + ", " + call);
			Redriven redriven = this.store.deadLetters()
				.redrive(this.store.partition(), call.token(), window(call.lasts()), quota, batch);
			assertThat(redriven)
				.isEqualTo(this.oracle.repairService().redrive(call, batch, quota, redriven.nowMicros()));
		}
	}

	void discard(RemovalCall call, List<StoredId> ids) {
		if (!ids.isEmpty()) {
			this.log.add("discard " + ids + ", " + call);
			assertThat(
					this.store.deadLetters().discard(this.store.partition(), call.token(), window(call.lasts()), ids))
				.isEqualTo(this.oracle.repairService().discard(call, ids));
		}
	}

	void cancel(CancelCall call) {
		this.log.add("cancel " + call);
		CancelAnswer answer = this.store.known()
			.cancel(this.store.candidate(call.key()), call.token(), window(call.lasts()));
		assertThat(answer).isEqualTo(this.oracle.cancel(call.key(), call.token(), call.lasts(), this.partition.now()));
		this.answers.add(answer.cancelled());
	}

	void reschedule(MoveCall call) {
		this.log.add("reschedule " + call);
		MoveAnswer answer = this.store.known()
			.reschedule(this.store.candidate(call.key()), call.due(), TestStore.MAX_DELAY, call.token(),
					window(call.lasts()));
		assertThat(answer)
			.isEqualTo(this.oracle.reschedule(call.key(), call.due(), call.token(), call.lasts(), answer.nowMicros()));
		this.answers.add(answer.moved());
	}

	void purge(RemovalCall call, List<StoredId> ids, boolean deadLetters) {
		if (!ids.isEmpty()) {
			this.log.add("purge " + ids + (deadLetters ? " with dead letters" : "") + ", " + call);
			assertThat(new Purges(this.store.calls(), HeldMessages.IGNORED).purge(this.store.partition(), call.token(),
					window(call.lasts()), deadLetters, false, ids))
				.isEqualTo(this.oracle.purge(call, ids, deadLetters));
		}
	}

	void pause(boolean on) {
		turn(Switch.PAUSED, on);
		this.oracle.pause(on);
	}

	void drain(boolean on) {
		turn(Switch.DRAINING, on);
		this.oracle.drain(on);
	}

	private void turn(Switch which, boolean on) {
		this.log.add(which + (on ? " begins" : " ends"));
		this.store.partitionControl().turn(this.store.partition(), which, on);
		if (on) {
			this.partition.command("HSET", Key.CONTROL, which.name().toLowerCase(Locale.ROOT),
					Long.toString(Oracle.SINCE));
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
