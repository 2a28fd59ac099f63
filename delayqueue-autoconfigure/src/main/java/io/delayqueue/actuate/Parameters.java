package io.delayqueue.actuate;

import java.util.regex.Pattern;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a view of a queue. Each view uses only some of them.
 *
 * @param state a state's name
 * @param id a message's id
 * @param group a message's group
 * @param reason the reason of dead letters
 * @param from where a page begins
 * @param limit the maximum number of messages of a page
 */
record Parameters(@Nullable String state, @Nullable String id, @Nullable String group, @Nullable String reason,
		@Nullable String from, @Nullable Integer limit) {

	private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

	private static final Pattern REASON = Pattern.compile("[A-Z][A-Z0-9_]{0,49}");

	private static final int SHOWN = 60;

	MessageState requiredState() {
		for (MessageState known : MessageState.values()) {
			if (known.name().equalsIgnoreCase(this.state)) {
				return known;
			}
		}
		throw invalid("state", this.state, "SCHEDULED, PARKED, READY, PENDING or DEAD");
	}

	@Nullable String checkedReason() {
		return reason(this.reason);
	}

	/** Validates a reason, if it is present. */
	static @Nullable String reason(@Nullable String reason) {
		if (reason == null || REASON.matcher(reason).matches()) {
			return reason;
		}
		throw invalid("reason", reason, "a word of capital letters, for example HANDLER_FAILED");
	}

	/** Parses a limit. */
	static @Nullable Integer limit(@Nullable String text, int maxLimit) {
		if (text == null) {
			return null;
		}
		if (NUMBER.matcher(text).matches()) {
			return Integer.valueOf(text);
		}
		throw invalid("limit", text, "from 1 to " + maxLimit);
	}

	/** Validates a limit, or returns the default. */
	static int limit(@Nullable Integer limit, int defaultLimit, int maxLimit) {
		if (limit == null) {
			return defaultLimit;
		}
		if (limit >= 1 && limit <= maxLimit) {
			return limit;
		}
		throw invalid("limit", limit.toString(), "from 1 to " + maxLimit);
	}

	static InvalidMessageException invalid(String name, @Nullable String value, String rule) {
		String shown = String.valueOf(value).replaceAll("[^\\x20-\\x7e]", "?");
		return new InvalidMessageException(name, (shown.length() > SHOWN) ? shown.substring(0, SHOWN) + "..." : shown,
				rule);
	}

}
