package io.delayqueue.sample.pushes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.sample.redis.PatientRedis;
import io.delayqueue.sample.redis.Scripts;

import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * The pushes in Redis: a hash for each. Its state is a word and the id of the message, so
 * no two pushes are ever in the same state, and each change is one compare-and-set.
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

	/** For good. */
	private static final Duration KEEP = Duration.ZERO;

	private final PatientRedis redis;

	PushStore(PatientRedis redis) {
		this.redis = redis;
	}

	/**
	 * Stores a push that does not count yet, in the place of none or of another draft.
	 */
	boolean draft(Push push) {
		String known = this.redis.call((redis) -> redis.<String, String>opsForHash().get(key(push.id()), "state"));
		String from = (known != null) ? known : NONE;
		String draft = DRAFT + push.messageId();
		return (from.equals(NONE) || from.startsWith(DRAFT)) && draft.equals(change(push.id(), from, draft, KEEP_DRAFT,
				"at", Long.toString(push.at().toEpochMilli()), "text", push.text()));
	}

	/** Makes the draft count, unless there is another one by now. */
	boolean confirm(Push push) {
		String state = change(push.id(), DRAFT + push.messageId(), SET + push.messageId(), KEEP);
		return state.equals(SET + push.messageId()) || state.equals(DELIVERED + push.messageId());
	}

	/**
	 * Marks the push of a message as delivered, if it is there. Looks for the draft
	 * first: it may become the push at just this moment, and never the other way round.
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

	/** The state that the push is in after that, whoever brought it there. */
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
