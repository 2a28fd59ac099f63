package io.delayqueue.sample.callbacks;

import java.time.Duration;
import java.util.Optional;

import io.delayqueue.sample.redis.PatientRedis;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.stereotype.Component;

/** The last answers of partners. A successful notification is kept for 7 days. */
@Component
final class CallbackNotes {

	private static final Duration KEEP_DELIVERED = Duration.ofDays(7);

	private final PatientRedis redis;

	private final JsonMapper json;

	CallbackNotes(PatientRedis redis, JsonMapper json) {
		this.redis = redis;
		this.json = json;
	}

	Optional<Note> find(String id) {
		return Optional.ofNullable(this.redis.call((redis) -> redis.opsForValue().get(key(id))))
			.map((note) -> this.json.readValue(note, Note.class));
	}

	void write(String id, Note note) {
		String text = this.json.writeValueAsString(note);
		this.redis.run((redis) -> {
			if (note.isDelivered()) {
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
	record Note(int attempt, String answer, boolean isDelivered) {

	}

}
