package io.delayqueue.sample.callbacks;

import java.time.Duration;
import java.util.Optional;

import io.delayqueue.sample.redis.RetryingRedis;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.stereotype.Component;

/**
 * Stores the group of each callback and the last answer of its partner in Redis. The
 * answer of a successful notification is kept for 7 days.
 */
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

	/**
	 * Stores the group of a new callback.
	 * @return the stored group: that of the first request with this callback id
	 */
	String group(String id, String group) {
		String text = this.json.writeValueAsString(new LastAnswer(group, 0, null, false));
		this.redis.run((redis) -> redis.opsForValue().setIfAbsent(key(id), text));
		return find(id).map(LastAnswer::group).orElse(group);
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
	 * The last answer of a partner.
	 *
	 * @param group the group of the callback's message
	 * @param attempt the number of the attempt, 0 before the first attempt
	 * @param answer an HTTP status, or the reason for a missing answer; {@code null}
	 * before the first attempt
	 * @param isDelivered whether the partner was notified with this attempt
	 */
	record LastAnswer(@Nullable String group, int attempt, @Nullable String answer, boolean isDelivered) {

	}

}
