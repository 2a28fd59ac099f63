package io.delayqueue.sample.web;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** The one rule for the ids and names that callers choose. */
public final class Names {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,200}");

	private Names() {
	}

	/**
	 * Checks an id or name.
	 * @param field what it is called in the request
	 * @param name the value
	 * @return the value
	 * @throws org.springframework.web.ErrorResponseException 400 unless it is 1 to 200
	 * characters of {@code [A-Za-z0-9._:-]}
	 */
	public static String require(String field, @Nullable String name) {
		if (name == null || !NAME.matcher(name).matches()) {
			throw Problems.invalid(field, name, "1 to 200 characters of [A-Za-z0-9._:-]");
		}
		return name;
	}

}
