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

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.ReadyMessages.Death;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Release;
import io.delayqueue.store.ReadyMessages.Retried;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.ReadyMessages.Settlements;
import io.delayqueue.store.ReadyMessages.Swept;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.CancelAnswer;
import io.delayqueue.store.ScheduledMessages.MoveAnswer;
import io.delayqueue.store.ScheduledMessages.NewMessage;
import io.delayqueue.store.Switches.Switch;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the steps of one sequence on a partition and asks the oracle about each: whether
 * the answer is right, and whether Redis holds what it should and nothing else.
 */
final class SequenceRun {

	private static final List<String> IDS = List.of("a", "b", "c", "d", "订单", "z|1");

	/** A series that is put off no more. */
	private static final Duration SHORT = Duration.ofMillis(1);

	private static final List<String> GROUPS = List.of("g", "g", "g0", "用户");

	/** One message of a group at a time, and two of one of them. */
	private static final List<GroupSettings> SETTINGS = List.of(settings(0, false, false), settings(2, false, false),
			settings(2, true, false), settings(3, true, true), settings(1, true, false));

	private static final List<String> CONSUMERS = List.of("one", "two");

	private final TestPartition partition;

	private final TestStore store;

	private final Oracle oracle = new Oracle();

	private final SequenceAudit audit;

	/** The group behind which the next sweep goes on. */
	private String behind = "";

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
			case SCHEDULE -> schedule(newCall(random), pick(SETTINGS, random));
			case SCHEDULE_AGAIN -> {
				if (!this.scheduleCalls.isEmpty()) {
					schedule(pick(this.scheduleCalls, random), pick(SETTINGS, random));
				}
			}
			case SWEEP -> sweep(1 + random.nextInt(5), 1 + random.nextInt(6));
			case READ -> read(pick(CONSUMERS, random), 1 + random.nextInt(3));
			case ACKNOWLEDGE -> acknowledge(someDeliveries(random), random.nextBoolean());
			case RELEASE -> release(someDeliveries(random), random.nextBoolean() ? States.DUE : States.FAR);
			case DEAD_LETTER -> someDeliveries(random).stream().limit(1).forEach((entry) -> deadLetter(entry, random));
			case RETRY -> someDeliveries(random).stream().limit(1).forEach((entry) -> retry(entry, random));
			case RECLAIM -> reclaim(random.nextBoolean());
			case REDRIVE -> redrive(random);
			case DISCARD -> discard(List.of(pick(IDS, random)), meant(random), random.nextBoolean());
			case CANCEL -> {
				CancelCall call = new CancelCall(key(random), TestStore.token(++this.tokens), random.nextBoolean());
				this.cancelCalls.add(call);
				cancel(call);
			}
			case CANCEL_AGAIN -> {
				if (!this.cancelCalls.isEmpty()) {
					cancel(pick(this.cancelCalls, random));
				}
			}
			case RESCHEDULE -> {
				MoveCall call = new MoveCall(key(random), due(random), TestStore.token(++this.tokens),
						random.nextBoolean());
				this.moveCalls.add(call);
				reschedule(call);
			}
			case RESCHEDULE_AGAIN -> {
				if (!this.moveCalls.isEmpty()) {
					reschedule(pick(this.moveCalls, random));
				}
			}
			case PURGE -> purge(IDS.stream().filter((id) -> random.nextBoolean()).toList(),
					random.nextBoolean() ? pick(GROUPS, random) : null, random.nextBoolean(), random.nextBoolean());
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
			String id = pick(IDS, random);
			Envelope envelope = new Envelope(token, group(id, random), Map.of(), Reply.bytes("payload " + token));
			NewMessage message = TestStore.message(id, due(random), envelope);
			call.add(TestStore.onDuplicate(policy(random), TestStore.expiring(message, expiry(random))));
		}
		this.scheduleCalls.add(call);
		return call;
	}

	private static GroupSettings settings(int quota, boolean dropOldest, boolean countDead) {
		return new GroupSettings(quota, dropOldest, countDead, 1, null, Map.of("g0", new GroupOverride(1, 2, false)));
	}

	/** Mostly the same for an id, so that what is known of it is not of another. */
	private static @Nullable String group(String id, Random random) {
		if (random.nextInt(4) == 0) {
			return random.nextBoolean() ? null : pick(GROUPS, random);
		}
		int number = IDS.indexOf(id);
		return (number < GROUPS.size()) ? GROUPS.get(number) : null;
	}

	/** Of any group, or of one that may be another. */
	private static MessageKey key(Random random) {
		MessageKey key = TestStore.key(pick(IDS, random));
		String group = meant(random);
		return (group != null) ? key.inGroup(group) : key;
	}

	private static @Nullable String meant(Random random) {
		return (random.nextInt(3) == 0) ? pick(GROUPS, random) : null;
	}

	private static String of(@Nullable String group) {
		return (group != null) ? " of " + group : "";
	}

	private static DuplicatePolicy policy(Random random) {
		return switch (random.nextInt(7)) {
			case 0 -> DuplicatePolicy.fail();
			case 1 -> DuplicatePolicy.replace();
			case 2 -> DuplicatePolicy.postpone(Duration.ofHours(1));
			case 3 -> DuplicatePolicy.postpone(SHORT);
			default -> DuplicatePolicy.keep();
		};
	}

	private static Expiry expiry(Random random) {
		return switch (random.nextInt(6)) {
			case 0 -> Expiry.after(Duration.ofHours(1));
			case 1 -> Expiry.after(Duration.ofDays(30_000));
			case 2 -> Expiry.at(Instant.ofEpochMilli(States.DUE + 3));
			case 3 -> Expiry.at(Instant.ofEpochMilli(States.FAR + 1));
			default -> Expiry.NEVER;
		};
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

	private void schedule(List<NewMessage> call, GroupSettings groups) {
		this.log.add("schedule " + call.stream()
			.map((message) -> message.id() + " of " + message.group() + " at " + message.due() + " by "
					+ Reply.text(message.envelope()).substring(0, CallToken.LENGTH) + ", " + message.onDuplicate()
					+ ", expires " + message.expiry())
			.toList() + " " + groups);
		Answers answers = this.store.scheduled()
			.schedule(this.store.partition(), this.store.with(groups).settings(), call);
		assertThat(answers).isEqualTo(this.oracle.schedule(call, groups, answers.nowMicros()));
		answers.answers().forEach((answer) -> this.answers.add(answer.stored()));
		answers.answers().stream().mapToLong(Answer::dueMillis).forEach((due) -> pass(due, answers.nowMicros() / 1000));
	}

	/** What is due within the next moment is due whenever somebody asks. */
	private void pass(long dueMillis, long nowMillis) {
		if (dueMillis > nowMillis && dueMillis <= nowMillis + SHORT.toMillis()) {
			Awaitility.await().pollInterval(SHORT).until(() -> this.partition.now() >= dueMillis);
		}
	}

	private void sweep(int batchSize, int highWaterMark) {
		this.log.add("sweep " + batchSize + " up to " + highWaterMark);
		GroupSettings groups = SETTINGS.get(0);
		Swept swept = this.store.with(groups).sweep(batchSize, highWaterMark, this.behind);
		assertThat(swept).isEqualTo(this.oracle.sweep(batchSize, highWaterMark,
				(group) -> groups.limitOf(group, TestStore.CONCURRENCY), this.behind, swept.nowMicros()));
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
			Settlements settled = this.store.ready()
				.acknowledge(this.store.partition(), window(lasts),
						batch.stream().map((entry) -> TestStore.acknowledgement(entry, window(lasts))).toList());
			assertThat(settled).isEqualTo(this.oracle.acknowledge(batch, lasts));
			this.answers.addAll(settled.each());
		}
	}

	private void release(List<Entry> batch, long dueMillis) {
		if (!batch.isEmpty()) {
			this.log.add("release " + shown(batch) + " at " + dueMillis);
			List<Settled> settled = this.store.ready()
				.release(this.store.partition(),
						batch.stream()
							.map((entry) -> new Release(entry.entry(), entry.id(), dueMillis, true))
							.toList());
			assertThat(settled).isEqualTo(this.oracle.release(batch, dueMillis));
		}
	}

	private void deadLetter(Entry entry, Random random) {
		Death death = new Death("it broke", true, random.nextBoolean());
		this.log.add("dead-letter " + shown(entry) + ", " + death);
		assertThat(this.store.ready().deadLetter(this.store.partition(), entry.entry(), entry.id(), death))
			.isEqualTo(this.oracle.deadLetter(entry, death));
	}

	private void retry(Entry entry, Random random) {
		Duration wait = random.nextBoolean() ? Duration.ZERO : Duration.ofDays(1);
		String reason = random.nextBoolean() ? "it broke" : null;
		boolean keepsPlace = random.nextBoolean();
		this.log.add((reason != null ? "retry " : "defer ") + shown(entry) + " in " + wait
				+ (keepsPlace ? " with its place" : ""));
		Retried retried = this.store.retry(entry, wait, reason, keepsPlace);
		assertThat(retried).isEqualTo(this.oracle.retry(entry, wait, reason, keepsPlace, retried.nowMicros()));
		this.answers.add(retried.settled());
	}

	private void reclaim(boolean countDead) {
		this.log.add("reclaim" + (countDead ? ", and count the dead" : ""));
		Found found = this.store.with(settings(0, false, countDead)).reclaim();
		assertThat(found.messages()).isEqualTo(
				this.oracle.upkeep().reclaim(found.nowMicros(), TestStore.MAX_CRASHES, "it fell silent", countDead));
	}

	private void redrive(Random random) {
		List<Redrive> batch = IDS.stream()
			.filter((id) -> random.nextBoolean())
			.map((id) -> new Redrive(id, random.nextBoolean() ? Duration.ZERO : Duration.ofDays(1)))
			.toList();
		if (!batch.isEmpty()) {
			int quota = random.nextInt(3);
			String group = meant(random);
			this.log.add("redrive " + batch + " up to " + quota + of(group));
			Redriven redriven = this.store.deadLetters().redrive(this.store.partition(), quota, group, batch);
			assertThat(redriven).isEqualTo(this.oracle.upkeep().redrive(batch, quota, group, redriven.nowMicros()));
		}
	}

	private void discard(List<String> ids, @Nullable String group, boolean lasts) {
		this.log.add("discard " + ids + of(group) + (lasts ? "" : ", the window ends at once"));
		assertThat(this.store.deadLetters().discard(this.store.partition(), window(lasts), group, ids))
			.isEqualTo(this.oracle.upkeep().discard(ids, group, lasts));
	}

	private void cancel(CancelCall call) {
		this.log.add("cancel " + call);
		CancelAnswer answer = this.store.scheduled()
			.cancel(this.store.partition(), call.key(), call.token(), window(call.lasts()));
		assertThat(answer).isEqualTo(this.oracle.cancel(call.key(), call.token(), call.lasts(), this.partition.now()));
		this.answers.add(answer.cancelled());
	}

	private void reschedule(MoveCall call) {
		this.log.add("reschedule " + call);
		MoveAnswer answer = this.store.scheduled()
			.reschedule(this.store.partition(), call.key(), call.due(), TestStore.MAX_DELAY, call.token(),
					window(call.lasts()));
		assertThat(answer)
			.isEqualTo(this.oracle.reschedule(call.key(), call.due(), call.token(), call.lasts(), answer.nowMicros()));
		this.answers.add(answer.moved());
	}

	private void purge(List<String> ids, @Nullable String group, boolean deadLetters, boolean lasts) {
		if (!ids.isEmpty()) {
			this.log.add("purge " + ids + of(group) + (deadLetters ? " with dead letters" : "")
					+ (lasts ? "" : ", the window ends at once"));
			assertThat(new Purges(this.store.calls()).purge(this.store.partition(), window(lasts), deadLetters, group,
					ids))
				.isEqualTo(this.oracle.purge(ids, group, deadLetters, lasts));
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

	private record CancelCall(MessageKey key, String token, boolean lasts) {
	}

	private record MoveCall(MessageKey key, Due due, String token, boolean lasts) {
	}

}
