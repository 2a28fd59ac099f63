package io.delayqueue.store;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of a message's failed deliveries, written on failure paths only. The form
 * in Redis: <code>failures|crashes|defers|last settled entry|reason</code>.
 *
 * @param failures deliveries whose handler failed
 * @param crashes deliveries whose process fell silent
 * @param defers deliveries whose handler asked for a later time
 * @param reason why the last one failed, {@code null} if none has
 */
public record FailureRecord(int failures, int crashes, int defers, @Nullable String reason) {

	private static final FailureRecord NONE = new FailureRecord(0, 0, 0, null);

	private static final Pattern FORM = Pattern.compile("(\\d{1,9})\\|(\\d{1,9})\\|(\\d{1,9})\\|[^|]*\\|(.*)",
			Pattern.DOTALL);

	static FailureRecord from(byte @Nullable [] bytes) {
		if (bytes == null || bytes.length == 0) {
			return NONE;
		}
		Matcher matcher = FORM.matcher(Reply.text(bytes));
		if (!matcher.matches()) {
			// Somebody else wrote it: no reason to lose the message over it
			return new FailureRecord(0, 0, 0, Reply.text(bytes));
		}
		return new FailureRecord(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)),
				Integer.parseInt(matcher.group(3)), matcher.group(4).isEmpty() ? null : matcher.group(4));
	}

	/**
	 * How many deliveries have failed.
	 * @return failures and crashes
	 */
	public int attempts() {
		return this.failures + this.crashes;
	}

}
