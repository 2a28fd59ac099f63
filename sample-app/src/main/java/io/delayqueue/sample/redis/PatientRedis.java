package io.delayqueue.sample.redis;

import java.time.Duration;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Calls Redis, again where the connection fails: after a restart of the server each
 * pooled connection fails once. Only for calls that may be carried out twice.
 */
@Component
public final class PatientRedis {

	private static final RetryPolicy AGAIN = RetryPolicy.builder()
		.includes(RedisConnectionFailureException.class)
		.maxRetries(8)
		.delay(Duration.ofMillis(20))
		.timeout(Duration.ofSeconds(1))
		.build();

	private final StringRedisTemplate redis;

	private final RetryTemplate retry = new RetryTemplate(AGAIN);

	PatientRedis(StringRedisTemplate redis) {
		this.redis = redis;
	}

	/**
	 * Makes a call.
	 * @param <T> the type of its answer
	 * @param call what to do; may be done more than once
	 * @return the answer
	 */
	public <T extends @Nullable Object> T call(Function<StringRedisTemplate, T> call) {
		return this.retry.invoke(() -> call.apply(this.redis));
	}

}
