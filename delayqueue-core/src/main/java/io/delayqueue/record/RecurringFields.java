package io.delayqueue.record;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;

import io.delayqueue.DelayQueueException;
import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The fields of a definition of a recurring schedule, without its group and its message.
 * The form in Redis is a JSON object on one line. A field that has its default value is
 * omitted.
 *
 * @param recurrence the rule that gives the instants of the schedule
 * @param missed what happens to instants whose occurrence (message) was not stored in
 * time
 * @param overlap what happens at an instant if the previous occurrence has not ended
 * @param expiry the expiry of an occurrence, in the form of a script argument; empty for
 * no expiry
 * @param application the name of the application that declares the schedule, {@code null}
 * if a call has created the schedule
 */
public record RecurringFields(Recurrence recurrence, MissedPolicy missed, OverlapPolicy overlap, String expiry,
		@Nullable String application) {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {
	};

	/**
	 * Returns the fields in the form in which Redis stores them.
	 * @return one line of JSON
	 */
	public String text() {
		Map<String, Object> form = new LinkedHashMap<>();
		put(form, "cron", this.recurrence.cron());
		put(form, "zone", this.recurrence.zone());
		Duration every = this.recurrence.every();
		if (every != null) {
			form.put("every", every.toMillis());
		}
		put(form, "from", this.recurrence.from());
		put(form, "until", this.recurrence.until());
		if (this.missed != MissedPolicy.LATEST) {
			form.put("missed", this.missed.name());
		}
		if (this.overlap != OverlapPolicy.ALLOW) {
			form.put("overlap", this.overlap.name());
		}
		if (!this.expiry.isEmpty()) {
			form.put("expiry", this.expiry);
		}
		put(form, "app", this.application);
		return JSON.writeValueAsString(form);
	}

	private static void put(Map<String, Object> form, String name, @Nullable Object value) {
		if (value != null) {
			form.put(name, value.toString());
		}
	}

	/**
	 * Reads the fields of a definition.
	 * @param text one line of JSON
	 * @return the fields
	 * @throws UnreadableRecordException if the text has another form
	 */
	static RecurringFields from(String text) {
		try {
			Map<String, Object> form = JSON.readValue(text, OBJECT);
			Number every = (Number) form.get("every");
			String zone = (String) form.get("zone");
			Recurrence recurrence = new Recurrence((String) form.get("cron"), (zone != null) ? ZoneId.of(zone) : null,
					(every != null) ? Duration.ofMillis(every.longValue()) : null, instant(form.get("from")),
					instant(form.get("until")));
			return new RecurringFields(recurrence,
					MissedPolicy.valueOf((String) form.getOrDefault("missed", MissedPolicy.LATEST.name())),
					OverlapPolicy.valueOf((String) form.getOrDefault("overlap", OverlapPolicy.ALLOW.name())),
					(String) form.getOrDefault("expiry", ""), (String) form.get("app"));
		}
		catch (JacksonException | ClassCastException | IllegalArgumentException | DateTimeException
				| DelayQueueException problem) {
			throw new UnreadableRecordException("the fields of the recurring schedule are not valid", problem);
		}
	}

	private static @Nullable Instant instant(@Nullable Object text) {
		return (text != null) ? Instant.parse((String) text) : null;
	}

}
