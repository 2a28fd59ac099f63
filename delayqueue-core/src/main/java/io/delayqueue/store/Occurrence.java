package io.delayqueue.store;

import java.time.Instant;
import java.util.List;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;

/**
 * An occurrence (one message of a recurring schedule) that is to be stored.
 *
 * @param instant the instant of the occurrence in the schedule
 * @param token the call token, which is the same for each call with the same generation
 * and instant
 */
public record Occurrence(Instant instant, String token) {

	private static final int DIGITS = 16;

	/**
	 * Makes an occurrence.
	 * @param generation the generation (version) of the definition
	 * @param instant the instant of the occurrence in the schedule
	 * @return the occurrence
	 */
	public static Occurrence of(String generation, Instant instant) {
		return new Occurrence(instant, CallToken.of(generation + instant));
	}

	/**
	 * Whether the next occurrence of a schedule is stored before it is due. Only a
	 * schedule each of whose instants gets an occurrence can do so: otherwise it is not
	 * known before the instant whether the instant will be missed or skipped.
	 * @param fields the fields of the definition
	 * @return whether to store the occurrence ahead
	 */
	public static boolean isAhead(RecurringFields fields) {
		return fields.overlap() == OverlapPolicy.ALLOW && fields.missed() == MissedPolicy.ALL;
	}

	List<String> arguments() {
		String digits = Long.toString(this.instant.toEpochMilli());
		return List.of("0".repeat(Math.max(0, DIGITS - digits.length())) + digits, this.instant.toString(), this.token);
	}

}
