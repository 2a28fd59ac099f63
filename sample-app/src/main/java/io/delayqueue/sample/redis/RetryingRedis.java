package io.delayqueue.sample.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * Calls Redis, and repeats a call if its connection fails, because after a restart of the
 * server each pooled connection fails once. The calls must be idempotent.
 */
@Component
@ImportRuntimeHints(Scripts.Hints.class)
public final class RetryingRedis {

	private static final RetryPolicy AGAIN = RetryPolicy.builder()
		.includes(RedisConnectionFailureException.class)
		.maxRetries(8)
		.delay(Duration.ofMillis(20))
		.timeout(Duration.ofSeconds(1))
		.build();

	private static final RedisScript<Long> NOW = Scripts.of(RetryingRedis.class).number("now");

	private final StringRedisTemplate redis;

	private final RetryTemplate retry = new RetryTemplate(AGAIN);

	RetryingRedis(StringRedisTemplate redis) {
		this.redis = redis;
	}

	/**
	 * Makes a call to Redis.
	 * @param <T> the type of the result
	 * @param call the call; may be carried out more than once
	 * @return the result of the call
	 */
	public <T extends @Nullable Object> T call(Function<StringRedisTemplate, T> call) {
		return this.retry.invoke(() -> call.apply(this.redis));
	}

	/**
	 * Makes a call to Redis that has no result.
	 * @param call the call; may be carried out more than once
	 */
	public void run(Consumer<StringRedisTemplate> call) {
		this.retry.invoke(() -> call.accept(this.redis));
	}

	/**
	 * Reads the time of Redis.
	 * @param key the key that selects the server in a cluster
	 * @return the time of Redis, in whole milliseconds
	 */
	public Instant now(String key) {
		return Instant.ofEpochMilli(call((redis) -> redis.execute(NOW, List.of(key))));
	}

}
