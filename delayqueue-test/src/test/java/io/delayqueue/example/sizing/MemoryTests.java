package io.delayqueue.example.sizing;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** A message uses no more memory of Redis than the guide states. */
@DelayQueueTest(properties = { "spring.config.location=classpath:guides/sizing.yml",
		"delayqueue.queues.sized.done-window-of-generated-ids=2m" })
class MemoryTests {

	private static final int MANY = 4_000;

	/** The maximum number of elements that do not belong to messages. */
	private static final int FEW = 10;

	private static final String PAYLOAD = "x".repeat(254);

	private static final int ID = "order-000000".length();

	/** The payload as JSON, and the other fields of the record. */
	private static final int RECORD = 256 + 29;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private StringRedisTemplate redis;

	private Instant due;

	@BeforeEach
	void due() {
		this.due = this.time.now().plus(Duration.ofHours(1));
	}

	@Test
	void memoryOfAWaitingAndOfAnAcknowledgedMessage() {
		schedule(Function.identity());
		assertThat(held()).isEqualTo(Map.of("messages", each(ID + RECORD), "scheduled", each(ID)));
		this.time.advanceTo(this.due);
		assertThat(held()).hasEntrySatisfying("done", (done) -> {
			assertThat(done.elements()).as("the id, and the call that scheduled it").isBetween(1L, 2L * MANY);
			assertThat(done.bytes()).isLessThanOrEqualTo(2L * MANY * ID);
		}).hasSize(1);
	}

	@Test
	void memoryOfAMessageWithGroupAndExpiry() {
		schedule((request) -> request.group("user-1").expireAfter(Duration.ofHours(1)));
		int id = ID + 1 + "user-1".length();
		Held groups = new Held(2 * MANY, (long) MANY * (id + 24 + 1 + id));
		assertThat(held()).isEqualTo(Map.of("messages", each(id + RECORD + 18), "scheduled", each(id), "groups", groups,
				"grouped", each(id + 23), "expiries", each(id)));
	}

	private void schedule(Function<ScheduleRequest, ScheduleRequest> more) {
		for (int from = 0; from < MANY; from += 2000) {
			this.delayQueue.scheduleAll(IntStream.range(from, from + 2000)
				.mapToObj((n) -> more.apply(ScheduleRequest.to("sized")
					.id(String.format(Locale.ROOT, "order-%06d", n))
					.payload(PAYLOAD)
					.dueAt(this.due)))
				.toList());
		}
	}

	private static Held each(int bytes) {
		return new Held(MANY, (long) MANY * bytes);
	}

	/** The contents of the keys, which are the same for each server and allocator. */
	private Map<String, Held> held() {
		Map<String, Held> held = new TreeMap<>();
		for (String key : this.redis.keys("*:{sized:0}:*")) {
			Held one = switch (Objects.requireNonNull(this.redis.type(key))) {
				case HASH -> Held.of(this.redis.<String, String>opsForHash()
					.entries(key)
					.entrySet()
					.stream()
					.map((entry) -> entry.getKey() + entry.getValue()));
				case ZSET -> Held.of(Objects.requireNonNull(this.redis.opsForZSet().range(key, 0, -1)).stream());
				case STREAM -> new Held(Objects.requireNonNull(this.redis.opsForStream().size(key)), 0);
				default -> new Held(1, 0);
			};
			if (one.elements() > FEW) {
				held.put(key.substring(key.lastIndexOf(':') + 1), one);
			}
		}
		return held;
	}

	/**
	 * The content of a key.
	 *
	 * @param elements the number of fields or members
	 * @param bytes the total length of their texts
	 */
	private record Held(long elements, long bytes) {

		static Held of(Stream<String> texts) {
			LongSummaryStatistics lengths = texts.mapToLong(String::length).summaryStatistics();
			return new Held(lengths.getCount(), lengths.getSum());
		}

	}

}
