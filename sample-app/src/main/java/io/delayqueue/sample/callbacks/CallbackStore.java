package io.delayqueue.sample.callbacks;

import java.time.Duration;
import java.util.Optional;

import io.delayqueue.sample.redis.RetryingRedis;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.stereotype.Component;

/** The last answers of partners. A successful notification is kept for 7 days. */
@Component
final class CallbackStore {

	private static final Duration KEEP_DELIVERED = Duration.ofDays(7);

	private final RetryingRedis redis;

	private final JsonMapper json;

	CallbackStore(RetryingRedis redis, JsonMapper json) {
		this.redis = redis;
		this.json = json;
	}

	Optional<LastAnswer> find(String id) {
		return Optional.ofNullable(this.redis.call((redis) -> redis.opsForValue().get(key(id))))
			.map((last) -> this.json.readValue(last, LastAnswer.class));
	}

	void write(String id, LastAnswer last) {
		String text = this.json.writeValueAsString(last);
		this.redis.run((redis) -> {
			if (last.isDelivered()) {
				redis.opsForValue().set(key(id), text, KEEP_DELIVERED);
			}
			else {
				redis.opsForValue().set(key(id), text);
			}
		});
	}

	private static String key(String id) {
		return "sample:callback:" + id;
	}

	/**
	 * The answer of a partner.
	 *
	 * @param attempt the number of the attempt
	 * @param answer an HTTP status, or the reason for a missing answer
	 * @param isDelivered whether the partner was notified with this attempt
	 */
	record LastAnswer(int attempt, String answer, boolean isDelivered) {

	}

}
