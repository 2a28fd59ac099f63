package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

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
import io.delayqueue.store.PendingMessages.Retried;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the steps of one sequence on a partition and compares each with the oracle: the
 * answer and the whole content of Redis.
 */
final class SequenceRun {

	private final TestPartition partition;

	private final TestStore store;

	private final Oracle oracle = new Oracle();

	private final SequenceAudit audit;

	/** The group behind which the next sweep continues. */
	private String behind = "";

	private final List<List<NewMessage>> scheduleCalls = new ArrayList<>();

	private final List<String> generated = new ArrayList<>();

	private final List<CancelCall> cancelCalls = new ArrayList<>();

	private final List<MoveCall> moveCalls = new ArrayList<>();

	/** Calls to redrive, discard or purge, to be repeated. */
	private final List<Runnable> removalCalls = new ArrayList<>();

	private final List<Entry> deliveries = new ArrayList<>();

	private final List<String> log = new ArrayList<>();

	private final Set<Enum<?>> answers = new HashSet<>();

	private int tokens;

	SequenceRun(TestPartition partition) {
		this.partition = partition;
		this.store = partition.store();
		this.audit = new SequenceAudit(partition, this.oracle);
	}

	/** The steps so far, a line for each. */
	List<String> log() {
		return this.log;
	}

	/** All answers of the store so far. */
	Set<Enum<?>> answers() {
		return this.answers;
	}

	void run(List<Step> steps) {
		for (Step step : steps) {
			Draw draw = new Draw(step.seed(), this.generated);
			take(step.kind(), draw);
			this.audit.afterStep(draw.id());
		}
	}

	private void take(Step.Kind kind, Draw draw) {
		switch (kind) {
			case SCHEDULE -> schedule(newCall(draw), draw.groups());
			case SCHEDULE_AGAIN -> {
				if (!this.scheduleCalls.isEmpty()) {
					schedule(oldCall(draw), draw.groups());
				}
			}
			case SWEEP -> sweep(draw.upTo(5), draw.upTo(6));
			case READ -> read(draw.consumer(), draw.upTo(3));
			case ACKNOWLEDGE -> acknowledge(draw.some(this.deliveries), draw.yes());
			case RELEASE -> release(draw.some(this.deliveries), draw.yes() ? States.DUE : States.FAR);
			case DEAD_LETTER ->
				draw.some(this.deliveries).stream().limit(1).forEach((entry) -> deadLetter(entry, draw.yes()));
			case RETRY -> draw.some(this.deliveries).stream().limit(1).forEach((entry) -> retry(entry, draw));
			case RECLAIM -> reclaim(draw.yes());
			case REDRIVE -> {
				List<Redrive> batch = draw.redrives();
				int quota = draw.upTo(3) - 1;
				removal(draw.meant(), draw, (call) -> redrive(call, batch, quota));
			}
			case DISCARD -> {
				List<String> ids = draw.ids();
				removal(draw.meant(), draw, (call) -> discard(call, ids));
			}
			case CANCEL -> {
				CancelCall call = new CancelCall(draw.key(), TestMessages.token(++this.tokens), draw.yes());
				this.cancelCalls.add(call);
				cancel(call);
			}
			case CANCEL_AGAIN -> {
				if (!this.cancelCalls.isEmpty()) {
					cancel(draw.of(this.cancelCalls));
				}
			}
			case RESCHEDULE -> {
				MoveCall call = new MoveCall(draw.key(), draw.due(), TestMessages.token(++this.tokens), draw.yes());
				this.moveCalls.add(call);
				reschedule(call);
			}
			case RESCHEDULE_AGAIN -> {
				if (!this.moveCalls.isEmpty()) {
					reschedule(draw.of(this.moveCalls));
				}
			}
			case PURGE -> {
				List<String> ids = draw.ids();
				boolean deadLetters = draw.yes();
				removal(draw.yes() ? draw.group() : null, draw, (call) -> purge(call, ids, deadLetters));
			}
			case REMOVE_OR_REDRIVE_AGAIN -> {
				if (!this.removalCalls.isEmpty()) {
					draw.of(this.removalCalls).run();
				}
			}
			case PAUSE -> {
				boolean paused = draw.oneIn(3);
				turn(Switch.PAUSED, paused);
				this.oracle.pause(paused);
			}
			case DRAIN -> {
				boolean draining = draw.oneIn(4);
				turn(Switch.DRAINING, draining);
				this.oracle.drain(draining);
			}
		}
	}

	private List<NewMessage> newCall(Draw draw) {
		List<NewMessage> call = draw.call(() -> ++this.tokens);
		this.scheduleCalls.add(call);
		call.stream()
			.filter((message) -> message.onDuplicate() == null)
			.map(NewMessage::id)
			.forEach(this.generated::add);
		return call;
	}

	/** An earlier call, which may be repeated together with a new one. */
	private List<NewMessage> oldCall(Draw draw) {
		List<NewMessage> call = new ArrayList<>(draw.of(this.scheduleCalls));
		if (draw.oneIn(4)) {
			call.addAll(newCall(draw));
		}
		return call;
	}

	private void schedule(List<NewMessage> call, GroupSettings groups) {
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

	private void sweep(int batchSize, int highWaterMark) {
		this.log.add("sweep " + batchSize + " up to " + highWaterMark);
		GroupSettings groups = Draw.groups(0, false, false);
		Swept swept = this.store.with(groups).sweep(batchSize, highWaterMark, this.behind);
		assertThat(swept).isEqualTo(this.oracle.sweep(batchSize, highWaterMark,
				(group) -> groups.limitOf(group, TestStore.CONCURRENCY), this.behind, swept.read().nowMicros()));
		this.behind = swept.behind();
	}

	private void read(String consumer, int count) {
		List<Entry> entries = this.store.ready().read(this.store.partition(), consumer, count).entries();
		this.log.add(consumer + " reads " + count + ": " + entries.stream().map(SequenceRun::shown).toList());
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

	private void acknowledge(List<Entry> batch, boolean lasts) {
		if (!batch.isEmpty()) {
			this.log.add("acknowledge " + shown(batch) + (lasts ? "" : ", the window ends at once"));
			Settlements settled = this.store.pending()
				.acknowledge(this.store.partition(), window(lasts),
						batch.stream().map((entry) -> TestStore.acknowledgement(entry, window(lasts))).toList());
			assertThat(settled).isEqualTo(this.oracle.settlements().acknowledge(batch, lasts));
			this.answers.addAll(settled.each());
		}
	}

	private void release(List<Entry> batch, long dueMillis) {
		if (!batch.isEmpty()) {
			this.log.add("release " + shown(batch) + " at " + dueMillis);
			List<Settled> settled = this.store.pending()
				.release(this.store.partition(),
						batch.stream()
							.map((entry) -> new Release(entry.entry(), entry.id(), dueMillis, true))
							.toList());
			assertThat(settled).isEqualTo(this.oracle.settlements().release(batch, dueMillis));
		}
	}

	private void deadLetter(Entry entry, boolean countsOn) {
		Death death = new Death("it broke", true, countsOn);
		this.log.add("dead-letter " + shown(entry) + ", " + death);
		assertThat(this.store.pending().deadLetter(this.store.partition(), entry.entry(), entry.id(), death))
			.isEqualTo(this.oracle.settlements().deadLetter(entry, death));
	}

	private void retry(Entry entry, Draw draw) {
		Duration wait = draw.delay();
		String reason = draw.yes() ? "it broke" : null;
		boolean keepsSlot = draw.yes();
		this.log.add((reason != null ? "retry " : "defer ") + shown(entry) + " in " + wait
				+ (keepsSlot ? " with its slot" : ""));
		Retried retried = this.store.retry(entry, wait, reason, keepsSlot);
		assertThat(retried)
			.isEqualTo(this.oracle.settlements().retry(entry, wait, reason, keepsSlot, retried.nowMicros()));
		this.answers.add(retried.settled());
	}

	private void reclaim(boolean countDead) {
		this.log.add("reclaim" + (countDead ? ", and count the dead" : ""));
		Found found = this.store.with(Draw.groups(0, false, countDead)).reclaim();
		assertThat(found.messages()).isEqualTo(this.oracle.repairService()
			.reclaim(found.nowMicros(), TestStore.MAX_CRASHES, "it fell silent", countDead));
	}

	/** Makes a call, which a later step may repeat. */
	private void removal(@Nullable String group, Draw draw, Consumer<RemovalCall> work) {
		RemovalCall call = new RemovalCall(group, TestMessages.token(++this.tokens), draw.yes());
		this.removalCalls.add(() -> work.accept(call));
		work.accept(call);
	}

	private void redrive(RemovalCall call, List<Redrive> batch, int quota) {
		if (!batch.isEmpty()) {
			this.log.add("redrive " + batch + " up to " + quota + ", " + call);
			Redriven redriven = this.store.deadLetters()
				.redrive(this.store.partition(), call.token(), window(call.lasts()), quota, call.group(), batch);
			assertThat(redriven)
				.isEqualTo(this.oracle.repairService().redrive(call, batch, quota, redriven.nowMicros()));
		}
	}

	private void discard(RemovalCall call, List<String> ids) {
		if (!ids.isEmpty()) {
			this.log.add("discard " + ids + ", " + call);
			assertThat(this.store.deadLetters()
				.discard(this.store.partition(), call.token(), window(call.lasts()), call.group(), ids))
				.isEqualTo(this.oracle.repairService().discard(call, ids));
		}
	}

	private void cancel(CancelCall call) {
		this.log.add("cancel " + call);
		CancelAnswer answer = this.store.known()
			.cancel(this.store.partition(), call.key(), call.token(), window(call.lasts()));
		assertThat(answer).isEqualTo(this.oracle.cancel(call.key(), call.token(), call.lasts(), this.partition.now()));
		this.answers.add(answer.cancelled());
	}

	private void reschedule(MoveCall call) {
		this.log.add("reschedule " + call);
		MoveAnswer answer = this.store.known()
			.reschedule(this.store.partition(), call.key(), call.due(), TestStore.MAX_DELAY, call.token(),
					window(call.lasts()));
		assertThat(answer)
			.isEqualTo(this.oracle.reschedule(call.key(), call.due(), call.token(), call.lasts(), answer.nowMicros()));
		this.answers.add(answer.moved());
	}

	private void purge(RemovalCall call, List<String> ids, boolean deadLetters) {
		if (!ids.isEmpty()) {
			this.log.add("purge " + ids + (deadLetters ? " with dead letters" : "") + ", " + call);
			assertThat(new Purges(this.store.calls(), HeldMessages.IGNORED).purge(this.store.partition(), call.token(),
					window(call.lasts()), deadLetters, call.group(), ids))
				.isEqualTo(this.oracle.purge(call, ids, deadLetters));
		}
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
		return entries.stream().map(SequenceRun::shown).toList();
	}

	private static String shown(Entry entry) {
		return entry.id() + " of " + entry.entry();
	}

	private record CancelCall(MessageKey key, String token, boolean lasts) {
	}

	private record MoveCall(MessageKey key, Due due, String token, boolean lasts) {
	}

}
