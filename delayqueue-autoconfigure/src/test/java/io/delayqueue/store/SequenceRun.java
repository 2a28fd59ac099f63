package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Release;
import io.delayqueue.store.ReadyMessages.Retried;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.ReadyMessages.Swept;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Cancelled;
import io.delayqueue.store.ScheduledMessages.MoveAnswer;
import io.delayqueue.store.ScheduledMessages.NewMessage;
import io.delayqueue.store.Switches.Switch;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the steps of one sequence on a partition and asks the oracle about each: whether
 * the answer is right, and whether Redis holds what it should and nothing else.
 */
final class SequenceRun {

	private static final List<String> IDS = List.of("a", "b", "c", "订单", "z|1");

	private static final List<String> CONSUMERS = List.of("one", "two");

	private final TestPartition partition;

	private final TestStore store;

	private final Oracle oracle = new Oracle();

	private final SequenceAudit audit;

	private final List<List<NewMessage>> scheduleCalls = new ArrayList<>();

	private final List<CancelCall> cancelCalls = new ArrayList<>();

	private final List<MoveCall> moveCalls = new ArrayList<>();

	private final List<Entry> deliveries = new ArrayList<>();

	private final List<String> log = new ArrayList<>();

	private final Set<Enum<?>> answers = new HashSet<>();

	private int tokens;

	SequenceRun(TestPartition partition) {
		this.partition = partition;
		this.store = partition.store();
		this.audit = new SequenceAudit(partition, this.oracle);
	}

	/** What was done, a line for each step. */
	List<String> log() {
		return this.log;
	}

	/** The words that the store has answered with. */
	Set<Enum<?>> answers() {
		return this.answers;
	}

	void run(List<Step> steps) {
		for (Step step : steps) {
			Random random = new Random(step.seed());
			take(step.kind(), random);
			this.audit.afterStep(pick(IDS, random));
		}
	}

	private void take(Step.Kind kind, Random random) {
		switch (kind) {
			case SCHEDULE -> schedule(newCall(random));
			case SCHEDULE_AGAIN -> {
				if (!this.scheduleCalls.isEmpty()) {
					schedule(pick(this.scheduleCalls, random));
				}
			}
			case SWEEP -> sweep(1 + random.nextInt(5), 1 + random.nextInt(6));
			case READ -> read(pick(CONSUMERS, random), 1 + random.nextInt(3));
			case ACKNOWLEDGE -> acknowledge(someDeliveries(random), random.nextBoolean());
			case RELEASE -> release(someDeliveries(random), random.nextBoolean() ? States.DUE : States.FAR);
			case DEAD_LETTER -> someDeliveries(random).stream().limit(1).forEach(this::deadLetter);
			case RETRY -> someDeliveries(random).stream().limit(1).forEach((entry) -> retry(entry, random));
			case RECLAIM -> reclaim();
			case REDRIVE -> redrive(random);
			case DISCARD -> discard(List.of(pick(IDS, random)), random.nextBoolean());
			case CANCEL -> {
				CancelCall call = new CancelCall(pick(IDS, random), TestStore.token(++this.tokens),
						random.nextBoolean());
				this.cancelCalls.add(call);
				cancel(call);
			}
			case CANCEL_AGAIN -> {
				if (!this.cancelCalls.isEmpty()) {
					cancel(pick(this.cancelCalls, random));
				}
			}
			case RESCHEDULE -> {
				MoveCall call = new MoveCall(pick(IDS, random), due(random), TestStore.token(++this.tokens),
						random.nextBoolean());
				this.moveCalls.add(call);
				reschedule(call);
			}
			case RESCHEDULE_AGAIN -> {
				if (!this.moveCalls.isEmpty()) {
					reschedule(pick(this.moveCalls, random));
				}
			}
			case PURGE -> purge(IDS.stream().filter((id) -> random.nextBoolean()).toList(), random.nextBoolean(),
					random.nextBoolean());
			case PAUSE -> {
				boolean paused = random.nextInt(3) == 0;
				turn(Switch.PAUSED, paused);
				this.oracle.pause(paused);
			}
			case DRAIN -> {
				boolean draining = random.nextInt(4) == 0;
				turn(Switch.DRAINING, draining);
				this.oracle.drain(draining);
			}
		}
	}

	private List<NewMessage> newCall(Random random) {
		List<NewMessage> call = new ArrayList<>();
		for (int i = random.nextBoolean() ? 1 : 1 + random.nextInt(4); i > 0; i--) {
			String token = TestStore.token(++this.tokens);
			Envelope envelope = new Envelope(token, null, Map.of(), Reply.bytes("payload " + token));
			call.add(TestStore.message(pick(IDS, random), due(random), envelope));
		}
		this.scheduleCalls.add(call);
		return call;
	}

	private static Due due(Random random) {
		return switch (random.nextInt(10)) {
			case 0, 1 -> Due.at(Instant.ofEpochMilli(States.FAR + random.nextInt(3)));
			case 2 -> Due.in(Duration.ZERO);
			case 3 -> Due.in(Duration.ofDays(1));
			case 4 ->
				random.nextBoolean() ? Due.at(Instant.parse("3000-01-01T00:00:00Z")) : Due.in(TestStore.MAX_DELAY);
			default -> Due.at(Instant.ofEpochMilli(States.DUE + random.nextInt(5)));
		};
	}

	/** Mostly recent ones, sometimes old ones that are settled. */
	private List<Entry> someDeliveries(Random random) {
		List<Entry> some = new ArrayList<>();
		for (int i = 1 + random.nextInt(3); i > 0 && !this.deliveries.isEmpty(); i--) {
			int back = random
				.nextInt(random.nextInt(4) == 0 ? this.deliveries.size() : Math.min(4, this.deliveries.size()));
			Entry entry = this.deliveries.get(this.deliveries.size() - 1 - back);
			if (!some.contains(entry)) {
				some.add(entry);
			}
		}
		return some;
	}

	private void schedule(List<NewMessage> call) {
		this.log.add("schedule " + call.stream()
			.map((message) -> message.id() + " at " + message.due() + " by "
					+ Reply.text(message.envelope()).substring(0, CallToken.LENGTH))
			.toList());
		Answers answers = this.store.scheduled().schedule(this.store.partition(), this.store.settings(), call);
		assertThat(answers).isEqualTo(this.oracle.schedule(call, answers.nowMicros()));
		answers.answers().forEach((answer) -> this.answers.add(answer.stored()));
	}

	private void sweep(int batchSize, int highWaterMark) {
		this.log.add("sweep " + batchSize + " up to " + highWaterMark);
		Swept swept = this.store.sweep(batchSize, highWaterMark, "");
		assertThat(swept).isEqualTo(this.oracle.sweep(batchSize, highWaterMark, swept.nowMicros()));
	}

	private void read(String consumer, int count) {
		List<Entry> entries = this.store.ready().read(this.store.partition(), consumer, count).entries();
		this.log.add(consumer + " reads " + count + ": " + entries.stream().map(SequenceRun::shown).toList());
		this.deliveries.addAll(entries);
		List<OracleMessage> expected = this.oracle.read(consumer, count);
		assertThat(entries).extracting(Entry::entry).isEqualTo(expected.stream().map(OracleMessage::entry).toList());
		assertThat(entries).extracting((entry) -> (entry.record() != null) ? Reply.text(entry.record()) : null)
			.isEqualTo(expected.stream().map(OracleMessage::record).toList());
		assertThat(entries).extracting(Entry::failures)
			.isEqualTo(expected.stream().map(OracleMessage::failures).toList());
	}

	private void acknowledge(List<Entry> batch, boolean lasts) {
		if (!batch.isEmpty()) {
			this.log.add("acknowledge " + shown(batch) + (lasts ? "" : ", the window ends at once"));
			List<Settled> settled = this.store.ready()
				.acknowledge(this.store.partition(), window(lasts),
						batch.stream().map((entry) -> TestStore.acknowledgement(entry, window(lasts))).toList())
				.each();
			assertThat(settled).isEqualTo(this.oracle.acknowledge(batch, lasts));
			this.answers.addAll(settled);
		}
	}

	private void release(List<Entry> batch, long dueMillis) {
		if (!batch.isEmpty()) {
			this.log.add("release " + shown(batch) + " at " + dueMillis);
			List<Settled> settled = this.store.ready()
				.release(this.store.partition(),
						batch.stream().map((entry) -> new Release(entry.entry(), entry.id(), dueMillis)).toList());
			assertThat(settled).isEqualTo(this.oracle.release(batch, dueMillis));
		}
	}

	private void deadLetter(Entry entry) {
		this.log.add("dead-letter " + shown(entry));
		assertThat(List.of(this.store.deadLetter(entry, "it broke")))
			.isEqualTo(this.oracle.deadLetter(entry, "it broke"));
	}

	private void retry(Entry entry, Random random) {
		Duration wait = random.nextBoolean() ? Duration.ZERO : Duration.ofDays(1);
		String reason = random.nextBoolean() ? "it broke" : null;
		this.log.add((reason != null ? "retry " : "defer ") + shown(entry) + " in " + wait);
		Retried retried = this.store.retry(entry, wait, reason, false);
		assertThat(retried).isEqualTo(this.oracle.retry(entry, wait, reason, retried.nowMicros()));
		this.answers.add(retried.settled());
	}

	private void reclaim() {
		this.log.add("reclaim");
		Found found = this.store.reclaim();
		assertThat(found.messages())
			.isEqualTo(this.oracle.upkeep().reclaim(found.nowMicros(), TestStore.MAX_CRASHES, "it fell silent"));
	}

	private void redrive(Random random) {
		List<Redrive> batch = IDS.stream()
			.filter((id) -> random.nextBoolean())
			.map((id) -> new Redrive(id, random.nextBoolean() ? Duration.ZERO : Duration.ofDays(1)))
			.toList();
		if (!batch.isEmpty()) {
			this.log.add("redrive " + batch);
			Redriven redriven = this.store.deadLetters().redrive(this.store.partition(), 0, batch);
			assertThat(redriven).isEqualTo(this.oracle.upkeep().redrive(batch, redriven.nowMicros()));
		}
	}

	private void discard(List<String> ids, boolean lasts) {
		this.log.add("discard " + ids + (lasts ? "" : ", the window ends at once"));
		assertThat(this.store.deadLetters().discard(this.store.partition(), window(lasts), ids))
			.isEqualTo(this.oracle.upkeep().discard(ids, lasts));
	}

	private void cancel(CancelCall call) {
		this.log.add("cancel " + call);
		Cancelled answer = this.store.scheduled()
			.cancel(this.store.partition(), TestStore.key(call.id()), call.token(), window(call.lasts()))
			.cancelled();
		assertThat(answer).isEqualTo(this.oracle.cancel(call.id(), call.token(), call.lasts()));
		this.answers.add(answer);
	}

	private void reschedule(MoveCall call) {
		this.log.add("reschedule " + call);
		MoveAnswer answer = this.store.scheduled()
			.reschedule(this.store.partition(), TestStore.key(call.id()), call.due(), TestStore.MAX_DELAY, call.token(),
					window(call.lasts()));
		assertThat(answer)
			.isEqualTo(this.oracle.reschedule(call.id(), call.due(), call.token(), call.lasts(), answer.nowMicros()));
		this.answers.add(answer.moved());
	}

	private void purge(List<String> ids, boolean deadLetters, boolean lasts) {
		if (!ids.isEmpty()) {
			this.log.add("purge " + ids + (deadLetters ? " with dead letters" : "")
					+ (lasts ? "" : ", the window ends at once"));
			assertThat(
					new Purges(this.store.calls()).purge(this.store.partition(), window(lasts), deadLetters, null, ids))
				.isEqualTo(this.oracle.purge(ids, deadLetters, lasts));
		}
	}

	private void turn(Switch which, boolean on) {
		this.log.add(which + (on ? " begins" : " ends"));
		this.store.switches().turn(this.store.partition(), which, on);
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

	private static <T> T pick(List<T> list, Random random) {
		return list.get(random.nextInt(list.size()));
	}

	private record CancelCall(String id, String token, boolean lasts) {
	}

	private record MoveCall(String id, Due due, String token, boolean lasts) {
	}

}
