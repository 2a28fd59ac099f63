package io.delayqueue.journey;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Bulk operations on dead letters while more messages are dead-lettered: before each call
 * of the operator to Redis the partitions change.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class BulkDeadLettersIntegrationTests {

	private static final String QUEUE = "bulk";

	private static final int PARTITIONS = 2;

	/** An offset into the past, ms. */
	private static final long LONG_AGO = -10_000;

	/** A record as it is stored: due time, call token, payload. */
	private static final String RECORD = "1%016d%s\np".formatted(0, "token000000");

	/** Dead-letters all scheduled messages. */
	private static final String DIE = """
			local time = redis.call('TIME')
			local now = time[1] * 1000 + math.floor(time[2] / 1000)
			for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
			  redis.call('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[1])), id)
			  redis.call('ZREM', KEYS[1], id)
			end
			""";

	/** Adds another dead letter. */
	private static final String COPY = """
			local time = redis.call('TIME')
			redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
			redis.call('ZADD', KEYS[2], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), ARGV[1])
			""";

	private final long[] before = new long[PARTITIONS];

	private int late;

	private RespClient redis;

	private TestApplication application;

	private Meanwhile meanwhile;

	private DelayQueueOperations queue;

	private DelayQueueAdmin admin;

	@BeforeEach
	void start() {
		this.redis = SharedRedis.get().client();
		this.application = new TestApplication(SharedRedis.get().uri())
			.with("delayqueue.defaults.partitions=" + PARTITIONS);
		ConfigurableApplicationContext context = this.application.start(Meanwhile.class);
		this.meanwhile = context.getBean(Meanwhile.class);
		this.queue = context.getBean(DelayQueueOperations.class);
		this.admin = context.getBean(DelayQueueAdmin.class);
	}

	@AfterEach
	void stop() {
		this.application.close();
		this.redis.close();
	}

	/**
	 * Runs an action before each script of the thread that has started the application.
	 */
	static class Meanwhile implements BeanPostProcessor {

		private final Thread operator = Thread.currentThread();

		private Runnable before = () -> {
		};

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof RedisAccess redis) {
				redis.template().setScriptExecutor(new DefaultScriptExecutor<>(redis.template()) {

					@Override
					public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
							RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
						if (Thread.currentThread() == Meanwhile.this.operator) {
							Meanwhile.this.before.run();
						}
						return super.execute(script, argumentSerializer, resultSerializer, keys, arguments);
					}

				});
			}
			return bean;
		}

	}

	@ParameterizedTest
	@ValueSource(longs = { LONG_AGO, 3_600_000 })
	void redriveDoesNotProcessItsRedrivenMessagesAgain(long aheadMillis) {
		addDeadLetters("id", 600, aheadMillis);
		this.meanwhile.before = () -> die(0);

		assertThat(this.admin.redrive(DeadLetterSelection.of(QUEUE).atMost(2000))).isEqualTo(600);

		die(0);
		assertThat(dead()).isEqualTo(600);
	}

	@Test
	void redriveByReasonDoesNotProcessItsRedrivenMessagesAgain() {
		addDeadLetters("id", 600, LONG_AGO);
		this.meanwhile.before = () -> die(0);

		assertThat(this.admin.redrive(DeadLetterSelection.of(QUEUE).because("UNKNOWN").atMost(2000))).isEqualTo(600);
	}

	@Test
	void discardKeepsDeadLettersThatArriveDuringTheCall() {
		addDeadLetters("id", 600, LONG_AGO);
		this.meanwhile.before = this::addDeadLettersOnceSomeAreRemoved;

		assertThat(this.admin.discard(DeadLetterSelection.of(QUEUE).atMost(2000))).isEqualTo(600);

		assertThat(dead()).isEqualTo(this.late).isPositive();
	}

	@Test
	void purgeKeepsDeadLettersThatArriveDuringTheCall() {
		addDeadLetters("id", 600, LONG_AGO);
		this.meanwhile.before = this::addDeadLettersOnceSomeAreRemoved;

		assertThat(this.admin.purgeWithDeadLetters(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 0, 600));

		assertThat(dead()).isEqualTo(this.late).isPositive();
	}

	/** Adds one at a time in each partition whose dead letters have been removed. */
	private void addDeadLettersOnceSomeAreRemoved() {
		for (int number = 0; number < PARTITIONS; number++) {
			if (dead(number) < this.before[number]) {
				this.redis.call("EVAL", COPY, "2", key(number, "messages"), key(number, "dead"), "late-" + this.late++,
						RECORD);
			}
		}
	}

	/** Dead-letters messages, by a clock that may be ahead. */
	private void addDeadLetters(String name, int count, long aheadMillis) {
		List<ScheduleRequest> requests = IntStream.range(0, count)
			.mapToObj((
					number) -> ScheduleRequest.to(QUEUE).payload("p").id(name + "-" + number).delay(Duration.ofDays(1)))
			.toList();
		assertThat(this.queue.scheduleAll(requests)).allMatch(ScheduleAnswer::isAccepted);
		die(aheadMillis);
		Arrays.setAll(this.before, this::dead);
	}

	private void die(long aheadMillis) {
		for (int number = 0; number < PARTITIONS; number++) {
			this.redis.call("EVAL", DIE, "2", key(number, "scheduled"), key(number, "dead"),
					Long.toString(aheadMillis));
		}
	}

	private long dead() {
		return IntStream.range(0, PARTITIONS).mapToLong(this::dead).sum();
	}

	private long dead(int partition) {
		return (Long) this.redis.call("ZCARD", key(partition, "dead"));
	}

	private String key(int partition, String name) {
		return this.application.prefix() + ":{" + QUEUE + ":" + partition + "}:" + name;
	}

}
