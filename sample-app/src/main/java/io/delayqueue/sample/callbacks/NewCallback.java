package io.delayqueue.sample.callbacks;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;

import io.delayqueue.sample.web.Fields;
import io.delayqueue.sample.web.Problems;
import org.jspecify.annotations.Nullable;

/**
 * The request for a callback, not validated.
 *
 * @param id the id that the caller chose
 * @param url the partner's address
 * @param unit the unit of the waits between the calls to the partner, ISO-8601
 */
record NewCallback(@Nullable String id, @Nullable String url, @Nullable String unit) {

	private static final int LONGEST_URL = 2000;

	Callback checked() {
		return new Callback(Fields.name("id", this.id), checkedUrl());
	}

	/**
	 * {@return the unit of the waits between the calls to the partner, 1 ms to 200 days,
	 * 1 minute by default}
	 */
	Duration checkedUnit() {
		return (this.unit != null) ? Fields.duration("unit", this.unit, Duration.ofMillis(1), Duration.ofDays(200))
				: Duration.ofMinutes(1);
	}

	private URI checkedUrl() {
		try {
			if (this.url != null && this.url.length() <= LONGEST_URL) {
				URI parsed = new URI(this.url);
				if (isHttp(parsed.getScheme()) && parsed.getHost() != null && parsed.getPort() <= 65535) {
					return parsed;
				}
			}
		}
		catch (URISyntaxException ex) {
			// the invalid address is reported below
		}
		throw Problems.invalid("url", this.url, "an http or https address of at most " + LONGEST_URL + " characters");
	}

	private static boolean isHttp(@Nullable String scheme) {
		return "http".equalsIgnoreCase(scheme) || "https".equalsIgnoreCase(scheme);
	}

}
