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
 * Stores each push in a Redis hash. The state of a push consists of a word and the id of
 * its message, so two pushes never have the same state. Each change of the state is one
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

	/** The retention time of a push that does not expire. */
	private static final Duration KEEP = Duration.ZERO;

	private final RetryingRedis redis;

	PushStore(RetryingRedis redis) {
		this.redis = redis;
	}

	/**
	 * Stores a push as a draft, unless a confirmed or delivered push with this id is
	 * stored.
	 */
	boolean draft(Push push) {
		String known = this.redis.call((redis) -> redis.<String, String>opsForHash().get(key(push.id()), "state"));
		String from = (known != null) ? known : NONE;
		String draft = DRAFT + push.messageId();
		return (from.equals(NONE) || from.startsWith(DRAFT)) && draft.equals(change(push.id(), from, draft, KEEP_DRAFT,
				"at", Long.toString(push.at().toEpochMilli()), "text", push.text()));
	}

	/** Confirms the draft of a push, unless another draft has replaced it. */
	boolean confirm(Push push) {
		String state = change(push.id(), DRAFT + push.messageId(), SET + push.messageId(), KEEP);
		return state.equals(SET + push.messageId()) || state.equals(DELIVERED + push.messageId());
	}

	/**
	 * Marks the push of a message as delivered, if the push exists. The method tries the
	 * state of a draft first: another thread may confirm the draft between the two
	 * attempts, but a confirmed push never becomes a draft.
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

	/** Removes a push, unless it has been delivered. */
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

	/**
	 * Changes the state of a push by a compare-and-set, and returns the state after the
	 * call. The returned state may have been set by another call.
	 */
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
