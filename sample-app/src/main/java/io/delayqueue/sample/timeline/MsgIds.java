package io.delayqueue.sample.timeline;

import java.util.regex.Pattern;

import io.delayqueue.sample.web.Problems;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.web.ErrorResponseException;

/**
 * Parses ids of timeline entries. An id is any 64-bit number, sent as a number or as a
 * text.
 */
final class MsgIds {

	private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,19}");

	private MsgIds() {
	}

	static long checked(String field, @Nullable JsonNode value) {
		if (value != null && value.isString()) {
			return checked(field, value.stringValue());
		}
		if (value != null && value.isIntegralNumber() && value.canConvertToLong()) {
			return value.longValue();
		}
		throw invalid(field, value);
	}

	static long checked(String field, String value) {
		try {
			if (NUMBER.matcher(value).matches()) {
				return Long.parseLong(value);
			}
		}
		catch (NumberFormatException ex) {
			// the invalid id is reported below
		}
		throw invalid(field, value);
	}

	private static ErrorResponseException invalid(String field, @Nullable Object value) {
		return Problems.invalid(field, value, "a number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE);
	}

}
