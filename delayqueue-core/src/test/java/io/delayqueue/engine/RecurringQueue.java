package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.RedisCalls;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.data.redis.core.RedisCallback;

/**
 * A queue with recurring schedules on the shared Redis, whose engines and consumers end
 * after each test.
 */
final class RecurringQueue implements BeforeEachCallback, AfterEachCallback {

	static final String QUEUE = "digests";

	private final String prefix = "recurring-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	private final Map<String, AtomicLong> missed = new ConcurrentHashMap<>();

	private final Map<String, AtomicLong> skipped = new ConcurrentHashMap<>();

	private final TestEngines engines = new TestEngines();

	@Override
	public void beforeEach(ExtensionContext context) {
		this.engines.beforeEach(context);
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.engines.afterEach(context);
	}

	/** The engines of the test, which end after it. */
	TestEngines engines() {
		return this.engines;
	}

	/** The prefix of all keys. */
	String prefix() {
		return this.prefix;
	}

	/** The ids of all handled messages, in their order. */
	List<String> handled() {
		return this.handled;
	}

	static RecurringSchedule everySecond(String key) {
		return RecurringSchedule.to(QUEUE, key).payload("p").every(Duration.ofSeconds(1));
	}

	static RecurringSchedule daily(String key) {
		return RecurringSchedule.to(QUEUE, key).payload("p").cron("0 0 3 * * *", "UTC");
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
		return this.handled.stream()
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
		this.engines.template()
			.execute((RedisCallback<Boolean>) (connection) -> connection.hashCommands()
				.hSet((this.prefix + ":{digests:0}:recurring").getBytes(StandardCharsets.UTF_8),
						key.getBytes(StandardCharsets.UTF_8), definition.getBytes(StandardCharsets.UTF_8)));
	}

	/** Sets the instant at which a definition of partition 0 is due. */
	void dueAt(String key, Instant instant) {
		this.engines.template()
			.opsForZSet()
			.add(this.prefix + ":{digests:0}:recurrences", key.getBytes(StandardCharsets.UTF_8),
					instant.toEpochMilli());
	}

	/** The ids of all messages. */
	Set<String> ids() {
		return this.engines.template()
			.keys(this.prefix + ":*:messages")
			.stream()
			.flatMap((key) -> fields(key).stream())
			.collect(Collectors.toSet());
	}

	private Set<String> fields(String key) {
		Set<byte[]> fields = this.engines.template()
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
			.mapToLong((n) -> fields(this.prefix + ":{digests:" + n + "}:" + suffix).size())
			.sum();
	}

	/** The mark that the queue has schedules. */
	Object mark() {
		return this.engines.template().opsForHash().get(this.prefix + ":{members}:epochs", "recurring:" + QUEUE);
	}

	RedisCalls calls() {
		return new RedisCalls(this.engines.template(), new KeySpace(this.prefix));
	}

	/** Starts a consumer that records the messages. */
	QueueConsumer consume(DelayQueueEngine engine, int partitions) {
		QueueConsumer consumer = engine.consumers().create(TestEngines.settings(QUEUE, partitions), (delivery) -> {
			this.handled.add(delivery.id());
			return null;
		}, null, null);
		return this.engines.start(consumer);
	}

	/** An engine that ends after the test. */
	DelayQueueEngine engine(int partitions) {
		return this.engines.engine(this.prefix, (name) -> TestEngines.settings(name, partitions),
				(builder) -> builder.observers(List.of(new Instants())));
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
