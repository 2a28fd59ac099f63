package io.delayqueue.example.sizing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/** A message takes about as much memory of Redis as the guide says. */
@DelayQueueTest(properties = { "spring.config.location=classpath:guides/sizing.yml",
		"delayqueue.queues.sized.done-window-of-generated-ids=2m" })
class MemoryTests {

	private static final int MANY = 20_000;

	private static final String PAYLOAD = "x".repeat(254);

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
	void ofOneThatWaitsAndOneThatIsDone() {
		schedule(Function.identity());
		double waiting = bytesOfOne();
		this.time.advanceTo(this.due);
		double done = bytesOfOne();
		assertThat(waiting).isCloseTo(480.0, withinPercentage(5));
		assertThat(done).isCloseTo(240.0, withinPercentage(5));
	}

	@Test
	void ofOneInAGroupWithAnExpiry() {
		schedule((request) -> request.group("user-1").expireAfter(Duration.ofHours(1)));
		double waiting = bytesOfOne();
		assertThat(waiting).isCloseTo(850.0, withinPercentage(5));
	}

	private void schedule(Function<ScheduleRequest, ScheduleRequest> more) {
		for (int from = 0; from < MANY; from += 5000) {
			this.delayQueue.scheduleAll(IntStream.range(from, from + 5000)
				.mapToObj((n) -> more.apply(ScheduleRequest.to("sized")
					.id(String.format(Locale.ROOT, "order-%06d", n))
					.payload(PAYLOAD)
					.dueAt(this.due)))
				.toList());
		}
	}

	/** By its keys: what clients and the allocator hold besides comes and goes. */
	private double bytesOfOne() {
		RedisCallback<Long> all = (connection) -> keys().stream()
			.map((key) -> connection.execute("MEMORY", bytes("USAGE"), bytes(key), bytes("SAMPLES"), bytes("0")))
			.mapToLong((bytes) -> ((Number) Objects.requireNonNull(bytes)).longValue())
			.sum();
		return (double) Objects.requireNonNull(this.redis.execute(all)) / MANY;
	}

	private Set<String> keys() {
		return this.redis.keys("*:{sized:0}:*");
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
