package io.delayqueue.record;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Where, when and after how long the last attempt of a message failed. Redis stores it
 * behind the reason of the failure, about 60 bytes, so only for messages that have
 * failed. The form: NUL, then <code>process|ms since 1970|ms|</code>. The history cuts
 * the text of a failure, so it may have only a part of this form, which is ignored.
 *
 * @param process the name of the process whose handler failed
 * @param atMillis when the handler ended, by the clock of Redis, ms since 1970
 * @param tookMillis for how long the handler ran, ms
 */
public record FailedAttempt(String process, long atMillis, long tookMillis) {

	private static final char BEGIN = '\0';

	private static final Pattern FORM = Pattern.compile("([^|]{1,300})\\|(\\d{1,15})\\|(\\d{1,15})\\|");

	/**
	 * Adds a failed attempt to the reason of its failure.
	 * @param reason the reason
	 * @param process the name of the process whose handler failed
	 * @param atMillis when the handler ended, by the clock of Redis, ms since 1970
	 * @param took for how long the handler ran
	 * @return the text to store
	 */
	public static String added(String reason, String process, long atMillis, Duration took) {
		return reason.replace(BEGIN, ' ') + BEGIN + process + "|" + atMillis + "|" + took.toMillis() + "|";
	}

	/** Returns the part of a stored text that is the reason. */
	static String reasonIn(String text) {
		int begin = text.indexOf(BEGIN);
		return (begin >= 0) ? text.substring(0, begin) : text;
	}

	/** Reads the attempt in a stored text, {@code null} if the text has none. */
	static @Nullable FailedAttempt in(String text) {
		Matcher attempt = FORM.matcher(text.substring(text.indexOf(BEGIN) + 1));
		return (text.indexOf(BEGIN) >= 0 && attempt.matches()) ? new FailedAttempt(attempt.group(1),
				Long.parseLong(attempt.group(2)), Long.parseLong(attempt.group(3))) : null;
	}

}
