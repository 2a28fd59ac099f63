package io.delayqueue;

import java.time.Duration;
import java.util.StringJoiner;

/**
 * Formats durations for messages to people: in exceptions and log lines of this library.
 */
public final class DurationText {

	private static final long NANOS_PER_MILLI = 1_000_000;

	private DurationText() {
	}

	/**
	 * Formats a duration exactly.
	 * @param duration the duration
	 * @return the duration in days, hours, minutes, seconds and milliseconds, without
	 * units of 0, for example {@code 3650d}, {@code 1h 30m} or {@code 500ms}; {@code 0s}
	 * for zero
	 */
	public static String of(Duration duration) {
		if (duration.isZero() || duration.toSeconds() == Long.MIN_VALUE) {
			return duration.isZero() ? "0s" : duration.toString();
		}
		if (duration.isNegative()) {
			return "-" + of(duration.negated());
		}
		StringJoiner text = new StringJoiner(" ");
		add(text, duration.toDaysPart(), "d");
		add(text, duration.toHoursPart(), "h");
		add(text, duration.toMinutesPart(), "m");
		add(text, duration.toSecondsPart(), "s");
		add(text, duration.toMillisPart(), "ms");
		add(text, duration.toNanosPart() % NANOS_PER_MILLI, "ns");
		return text.toString();
	}

	private static void add(StringJoiner text, long count, String unit) {
		if (count > 0) {
			text.add(count + unit);
		}
	}

}
