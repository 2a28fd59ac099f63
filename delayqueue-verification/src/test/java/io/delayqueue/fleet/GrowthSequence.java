package io.delayqueue.fleet;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.GrowthOracle.Expected;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random calls of several processes, of which only the first one reads the epochs before
 * each call, and a change of the partition count between any two of them. Each answer is
 * compared with the {@link GrowthOracle}, and after each step every message must be in
 * one partition, which is its own, and every group in one epoch.
 */
final class GrowthSequence {

	private static final Duration LATER = Duration.ofDays(1);

	private static final int IDS = 6;

	private static final int MOST_PARTITIONS = 4;

	private final List<DelayQueueEngine> engines;

	private final GrowingQueue queue;

	private final Random random;

	private final GrowthOracle oracle = new GrowthOracle();

	private final List<String> log = new ArrayList<>();

	/** Generated ids, which any process may use. */
	private final List<MessageKey> generated = new ArrayList<>();

	GrowthSequence(List<DelayQueueEngine> engines, GrowingQueue queue, Random random) {
		this.engines = engines;
		this.queue = queue;
		this.random = random;
	}

	List<String> log() {
		return this.log;
	}

	void step() {
		DelayQueueEngine engine = this.engines.get(this.random.nextInt(this.engines.size()));
		MessageKey key = key();
		switch (this.random.nextInt(16)) {
			case 0, 1, 2 -> schedule(engine, key, false);
			case 3, 4 -> schedule(engine, key, true);
			case 5 -> generate(engine);
			case 6 -> cancel(engine, key);
			case 7 -> reschedule(engine, key, LATER);
			case 8 -> find(engine, key);
			case 9, 10 -> handle(engine, key, this.random.nextBoolean());
			case 11 -> die(engine, key);
			case 12 -> operate(engine, key);
			case 13 -> change();
			case 14 -> close();
			default -> end();
		}
		check();
	}

	/** Two ids, each in two groups, and ids without a group. */
	private MessageKey key() {
		if (!this.generated.isEmpty() && this.random.nextInt(8) == 0) {
			return this.generated.get(this.random.nextInt(this.generated.size()));
		}
		int number = this.random.nextInt(IDS);
		return (number < 4) ? new MessageKey(GrowingQueue.NAME, "id-" + number / 2, "group-" + number % 2)
				: MessageKey.of(GrowingQueue.NAME, "id-" + number);
	}

	private void schedule(DelayQueueEngine engine, MessageKey key, boolean replaces) {
		Outcome expected = replaces ? this.oracle.replace(key) : this.oracle.keep(key);
		ScheduleRequest request = ScheduleRequest.to(GrowingQueue.NAME)
			.id(key.id())
			.payload("p")
			.delay(LATER)
			.onDuplicate(replaces ? DuplicatePolicy.replace() : DuplicatePolicy.keep());
		String group = key.group();
		Outcome outcome = outcome(engine.operations(), (group != null) ? request.group(group) : request);
		log(engine, (replaces ? "replace " : "keep ") + key + ": " + outcome);
		assertThat(outcome).isEqualTo(expected);
		if (outcome == Outcome.CREATED || outcome == Outcome.REPLACED) {
			stored(key);
		}
	}

	private static @Nullable Outcome outcome(DelayQueueOperations operations, ScheduleRequest request) {
		try {
			return operations.schedule(request).outcome();
		}
		catch (QuotaExceededException full) {
			return null;
		}
	}

	private void generate(DelayQueueEngine engine) {
		String id = engine.operations().schedule(ScheduleRequest.to(GrowingQueue.NAME).payload("p").delay(LATER)).id();
		log(engine, "schedule " + id);
		MessageKey key = MessageKey.of(GrowingQueue.NAME, id);
		this.generated.add(key);
		stored(key);
	}

	/** Notes the epoch that has stored a message. */
	private void stored(MessageKey key) {
		this.oracle.stored(key, epochOf(name(key)));
	}

	/** The id and the group in the form that Redis stores. */
	static String name(MessageKey key) {
		return new String(StoredId.of(key).toBytes(), StandardCharsets.UTF_8);
	}

	private int epochOf(String id) {
		List<Partition> partitions = this.queue.stored().getOrDefault(id, List.of());
		assertThat(partitions).as(id).hasSize(1);
		return partitions.get(0).epoch();
	}

	private void cancel(DelayQueueEngine engine, MessageKey key) {
		boolean isAlone = this.oracle.messages()
			.values()
			.stream()
			.allMatch((message) -> message.key().equals(key) || !message.key().id().equals(key.id()));
		MessageKey asked = (isAlone && this.random.nextBoolean()) ? MessageKey.of(key.queue(), key.id()) : key;
		assertThat(engine.operations().cancel(asked)).isEqualTo(this.oracle.cancel(name(key)));
		log(engine, "cancel " + asked);
		this.oracle.removed(name(key));
	}

	private RescheduleResult reschedule(DelayQueueEngine engine, MessageKey key, Duration delay) {
		RescheduleResult result = engine.operations().reschedule(key, delay);
		log(engine, "reschedule " + key + ": " + result);
		assertThat(result).isEqualTo(this.oracle.reschedule(name(key)));
		return result;
	}

	private void find(DelayQueueEngine engine, MessageKey key) {
		log(engine, "find " + key);
		assertThat(engine.operations().find(key).map(MessageSnapshot::state).orElse(null))
			.isEqualTo(this.oracle.find(name(key)));
		if (key.group() != null) {
			assertThat(engine.operations().countGroup(key.queue(), key.group()))
				.isEqualTo(this.oracle.waiting(key.group()).size());
		}
	}

	private void handle(DelayQueueEngine engine, MessageKey key, boolean isRemembered) {
		Entry entry = take(engine, key);
		Expected message = this.oracle.get(name(key));
		if (entry != null && message != null) {
			log(engine, "handle " + key + (isRemembered ? "" : ", without a window"));
			this.queue.acknowledge(key, message.epoch(), entry, isRemembered ? GrowingQueue.WINDOW : Duration.ZERO);
			this.oracle.handled(name(key), isRemembered);
		}
	}

	private void die(DelayQueueEngine engine, MessageKey key) {
		Entry entry = take(engine, key);
		Expected message = this.oracle.get(name(key));
		if (entry != null && message != null) {
			log(engine, "dead-letter " + key);
			this.queue.deadLetter(key, message.epoch(), entry);
			this.oracle.died(name(key));
		}
	}

	private @Nullable Entry take(DelayQueueEngine engine, MessageKey key) {
		Expected message = this.oracle.get(name(key));
		if (reschedule(engine, key, Duration.ZERO) != RescheduleResult.RESCHEDULED || message == null) {
			return null;
		}
		return this.queue.take(key, message.epoch());
	}

	/** Discards or redrives a dead letter. */
	private void operate(DelayQueueEngine engine, MessageKey key) {
		Expected message = this.oracle.get(name(key));
		boolean isDead = message != null && message.isDead();
		if (this.random.nextInt(3) == 0) {
			log(engine, "discard " + key);
			assertThat(engine.admin().discard(key)).isEqualTo(isDead);
			if (isDead) {
				this.oracle.removed(name(key));
			}
			return;
		}
		log(engine, "redrive " + key);
		try {
			assertThat(engine.admin().redrive(key)).isEqualTo(isDead);
		}
		catch (QuotaExceededException full) {
			assertThat(isDead && this.oracle.isFull(key)).isTrue();
			return;
		}
		if (message != null && isDead) {
			this.oracle.stored(key, message.epoch());
			reschedule(engine, key, LATER);
		}
	}

	private void change() {
		if (this.queue.epochs().newest().announced()) {
			this.queue.activate();
		}
		else {
			this.queue.announce(1 + this.random.nextInt(MOST_PARTITIONS));
		}
		this.log.add("change to " + this.queue.epochs());
	}

	private void close() {
		int number = this.random.nextInt(MOST_PARTITIONS);
		this.log.add("close older partition " + number);
		this.queue.close(number);
	}

	private void end() {
		this.queue.end();
		this.log.add("end to " + this.queue.epochs());
		this.queue.stored().forEach((id, partitions) -> this.oracle.carried(id, partitions.get(0).epoch()));
	}

	/** Ends all messages, windows and older epochs. */
	void finish() {
		this.queue.activate();
		List.copyOf(this.oracle.messages().values())
			.forEach((message) -> this.engines.get(0).operations().cancel(message.key()));
		assertThat(this.queue.stored()).isEmpty();
		this.queue.endWindows();
		for (int n = 0; n <= 2 * Epochs.MOST_OLDER; n++) {
			this.queue.end();
		}
		assertThat(this.queue.epochs().older()).isEmpty();
	}

	private void check() {
		Map<String, List<Partition>> stored = this.queue.stored();
		assertThat(stored.keySet()).isEqualTo(this.oracle.messages().keySet());
		this.oracle.messages().forEach((id, message) -> {
			List<Partition> partitions = stored.getOrDefault(id, List.of());
			assertThat(partitions).as(id).hasSize(1).allMatch((one) -> this.queue.isHome(message.key(), one));
			assertThat(partitions.get(0).epoch()).as(id).isEqualTo(message.epoch());
		});
		for (String group : List.of("group-0", "group-1")) {
			assertThat(this.oracle.messages()
				.values()
				.stream()
				.filter((message) -> group.equals(message.key().group()))
				.map(Expected::epoch)
				.distinct()
				.count()).as(group).isLessThanOrEqualTo(1);
		}
	}

	private void log(DelayQueueEngine engine, String step) {
		this.log.add("process " + this.engines.indexOf(engine) + ": " + step);
	}

}
