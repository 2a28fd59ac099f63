package io.delayqueue.sample.pushes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.sample.redis.RetryingRedis;
import io.delayqueue.sample.redis.Scripts;

import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * Stores pushes in Redis, each in a hash. The state consists of a word and the id of the
 * message, so the states of two pushes always differ, and each change is one
 * compare-and-set.
 */
@Component
final class PushStore {

	private static final RedisScript<String> CHANGE = Scripts.of(PushStore.class).text("change-push");

	private static final String NONE = "";

	private static final String DRAFT = "DRAFT ";

	private static final String SET = "SET ";

	private static final String DELIVERED = "DELIVERED ";

	private static final Duration KEEP_DRAFT = Duration.ofMinutes(10);

	private static final Duration KEEP_DELIVERED = Duration.ofDays(7);

	/** No expiry. */
	private static final Duration KEEP = Duration.ZERO;

	private final RetryingRedis redis;

	PushStore(RetryingRedis redis) {
		this.redis = redis;
	}

	/** Stores a draft of a push if none or another draft is stored. */
	boolean draft(Push push) {
		String known = this.redis.call((redis) -> redis.<String, String>opsForHash().get(key(push.id()), "state"));
		String from = (known != null) ? known : NONE;
		String draft = DRAFT + push.messageId();
		return (from.equals(NONE) || from.startsWith(DRAFT)) && draft.equals(change(push.id(), from, draft, KEEP_DRAFT,
				"at", Long.toString(push.at().toEpochMilli()), "text", push.text()));
	}

	/** Confirms the draft, unless another one has replaced it. */
	boolean confirm(Push push) {
		String state = change(push.id(), DRAFT + push.messageId(), SET + push.messageId(), KEEP);
		return state.equals(SET + push.messageId()) || state.equals(DELIVERED + push.messageId());
	}

	/**
	 * Marks the push of a message as delivered, if it exists. Tries the draft first,
	 * because a draft may be confirmed concurrently, and a confirmed push never becomes a
	 * draft.
	 */
	boolean deliver(String id, String messageId) {
		String now = Long.toString(this.redis.now(key(id)).toEpochMilli());
		for (String from : List.of(DRAFT, SET)) {
			String state = change(id, from + messageId, DELIVERED + messageId, KEEP_DELIVERED, "deliveredAt", now);
			if (state.equals(DELIVERED + messageId)) {
				return true;
			}
		}
		return false;
	}

	/** Removes a push, unless it is delivered. */
	boolean remove(Push push) {
		String state = change(push.id(), SET + push.messageId(), NONE, KEEP);
		return !state.equals(DELIVERED + push.messageId());
	}

	Optional<Push> find(String id) {
		Map<String, String> fields = this.redis.call((redis) -> redis.<String, String>opsForHash().entries(key(id)));
		String state = fields.getOrDefault("state", NONE);
		if (!state.startsWith(SET) && !state.startsWith(DELIVERED)) {
			return Optional.empty();
		}
		String deliveredAt = fields.get("deliveredAt");
		return Optional.of(new Push(id, instant(fields.getOrDefault("at", "0")), fields.getOrDefault("text", ""),
				(deliveredAt != null) ? instant(deliveredAt) : null, state.substring(state.indexOf(' ') + 1)));
	}

	/** Returns the state after this call; another call may have set the state. */
	private String change(String id, String from, String to, Duration keep, String... fields) {
		List<String> arguments = new ArrayList<>(List.of(from, to, Long.toString(keep.toMillis())));
		Collections.addAll(arguments, fields);
		return this.redis.call((redis) -> redis.execute(CHANGE, List.of(key(id)), arguments.toArray()));
	}

	private static Instant instant(String millis) {
		return Instant.ofEpochMilli(Long.parseLong(millis));
	}

	private static String key(String id) {
		return "sample:push:" + id;
	}

}
