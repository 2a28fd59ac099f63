package io.delayqueue.record;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Where, when and after how long the last attempt of a message failed. Redis stores it
 * behind the reason of the failure, about 60 bytes, so only for messages that have
 * failed. The form: NUL, then <code>process|ms since 1970|ms|</code>, and, if its queue
 * keeps stack traces, NUL and the stack trace. The history cuts the text of a failure and
 * keeps no stack trace, so it may have only a part of this form, which is ignored.
 *
 * @param process the name of the process whose handler failed
 * @param atMillis when the handler ended, by the clock of Redis, ms since 1970
 * @param tookMillis for how long the handler ran, ms
 * @param stack the beginning of the stack trace, {@code null} if its queue keeps none
 */
public record FailedAttempt(String process, long atMillis, long tookMillis, @Nullable String stack) {

	private static final char BEGIN = '\0';

	private static final Pattern FORM = Pattern.compile("([^|]{1,300})\\|(\\d{1,15})\\|(\\d{1,15})\\|");

	/**
	 * Adds a failed attempt to the reason of its failure.
	 * @param reason the reason
	 * @param process the name of the process whose handler failed
	 * @param atMillis when the handler ended, by the clock of Redis, ms since 1970
	 * @param took for how long the handler ran
	 * @param stack the beginning of the stack trace, {@code null} for none
	 * @return the text to store
	 */
	public static String added(String reason, String process, long atMillis, Duration took, @Nullable String stack) {
		return reason.replace(BEGIN, ' ') + BEGIN + process + "|" + atMillis + "|" + took.toMillis() + "|"
				+ ((stack != null) ? BEGIN + stack.replace(BEGIN, ' ') : "");
	}

	/** Returns the part of a stored text that is the reason. */
	static String reasonIn(String text) {
		int begin = text.indexOf(BEGIN);
		return (begin >= 0) ? text.substring(0, begin) : text;
	}

	/** Reads the attempt in a stored text, {@code null} if the text has none. */
	static @Nullable FailedAttempt in(String text) {
		String[] parts = text.split(String.valueOf(BEGIN), 3);
		Matcher attempt = FORM.matcher((parts.length > 1) ? parts[1] : "");
		return attempt.matches() ? new FailedAttempt(attempt.group(1), Long.parseLong(attempt.group(2)),
				Long.parseLong(attempt.group(3)), (parts.length > 2) ? parts[2] : null) : null;
	}

}
