package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.lifecycle.Intervals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.StoredId;

import org.springframework.data.redis.core.RedisCallback;

/**
 * A queue with recurring schedules on the shared Redis, whose engines and consumers end
 * after each test.
 */
final class RecurringQueue extends ConsumedQueue {

	static final String QUEUE = "digests";

	private static final int HOUR = OffsetDateTime.now(ZoneOffset.UTC).plusHours(12).getHour();

	private final Map<String, AtomicLong> missed = new ConcurrentHashMap<>();

	private final Map<String, AtomicLong> skipped = new ConcurrentHashMap<>();

	RecurringQueue() {
		super(QUEUE, "recurring");
	}

	static RecurringSchedule everySecond(String key) {
		return RecurringSchedule.to(QUEUE, key).payload("p").every(Duration.ofSeconds(1));
	}

	/**
	 * A schedule without an instant within half a day of the test, whose next occurrence
	 * is stored ahead.
	 */
	static RecurringSchedule daily(String key) {
		return RecurringSchedule.to(QUEUE, key)
			.payload("p")
			.cron("0 30 " + HOUR + " * * *", "UTC")
			.missed(MissedPolicy.ALL);
	}

	static RecurringResult create(DelayQueueEngine engine, RecurringSchedule schedule) {
		return engine.recurring().createOrReplace(schedule);
	}

	static RecurringSnapshot get(DelayQueueEngine engine, String key) {
		return engine.recurring().get(QUEUE, key).orElseThrow();
	}

	static Epochs epochs(DelayQueueEngine engine) {
		return engine.directory().read(QUEUE).orElseThrow();
	}

	/** The instants of the handled occurrences of a schedule, in their order. */
	List<Instant> handledOf(String key) {
		return handled().stream()
			.filter((id) -> id.startsWith(key + "@"))
			.map((id) -> Instant.parse(id.substring(key.length() + 1)))
			.toList();
	}

	/** The number of missed instants that were observed. */
	long missed(String key) {
		return this.missed.getOrDefault(key, new AtomicLong()).get();
	}

	/** The number of skipped instants that were observed. */
	long skipped(String key) {
		return this.skipped.getOrDefault(key, new AtomicLong()).get();
	}

	/** Writes a definition into partition 0. */
	void write(String key, String definition) {
		engines().template()
			.execute((RedisCallback<Boolean>) (connection) -> connection.hashCommands()
				.hSet((prefix() + ":{digests:0}:recurring").getBytes(StandardCharsets.UTF_8),
						key.getBytes(StandardCharsets.UTF_8), definition.getBytes(StandardCharsets.UTF_8)));
	}

	/** Sets the instant at which a definition of partition 0 is due. */
	void dueAt(String key, Instant instant) {
		engines().template()
			.opsForZSet()
			.add(prefix() + ":{digests:0}:recurrences", key.getBytes(StandardCharsets.UTF_8), instant.toEpochMilli());
	}

	/** The ids of all messages. */
	Set<String> ids() {
		return engines().template()
			.keys(prefix() + ":*:messages")
			.stream()
			.flatMap((key) -> fields(key).stream())
			.map((stored) -> StoredId.from(stored.getBytes(StandardCharsets.UTF_8)).id())
			.collect(Collectors.toSet());
	}

	private Set<String> fields(String key) {
		Set<byte[]> fields = engines().template()
			.execute((RedisCallback<Set<byte[]>>) (connection) -> connection.hashCommands()
				.hKeys(key.getBytes(StandardCharsets.UTF_8)));
		return Objects.requireNonNull(fields)
			.stream()
			.map((field) -> new String(field, StandardCharsets.UTF_8))
			.collect(Collectors.toSet());
	}

	/** The number of fields that a hash has in all partitions of the first epoch. */
	long count(String suffix, int partitions) {
		return IntStream.range(0, partitions)
			.mapToLong((n) -> fields(prefix() + ":{digests:" + n + "}:" + suffix).size())
			.sum();
	}

	/** The mark that the queue has schedules. */
	Object mark() {
		return engines().template().opsForHash().get(prefix() + ":{members}:epochs", "recurring:" + QUEUE);
	}

	RedisCalls calls() {
		return new RedisCalls(engines().template(), new KeySpace(prefix()));
	}

	/** An engine that ends after the test. */
	DelayQueueEngine engine(int partitions) {
		return engine(partitions, TestEngines.SHORT);
	}

	DelayQueueEngine engine(int partitions, Intervals intervals) {
		return engines().engine(prefix(), (name) -> TestEngines.settings(name, partitions),
				(builder) -> builder.intervals(intervals).observers(List.of(new Instants())));
	}

	/** Counts the instants that are observed. */
	private final class Instants implements QueueObserver {

		@Override
		public void missed(String queue, String key, long instants) {
			add(RecurringQueue.this.missed, key, instants);
		}

		@Override
		public void skipped(String queue, String key, long instants) {
			add(RecurringQueue.this.skipped, key, instants);
		}

		private static void add(Map<String, AtomicLong> counts, String key, long instants) {
			counts.computeIfAbsent(key, (missing) -> new AtomicLong()).addAndGet(instants);
		}

	}

}
