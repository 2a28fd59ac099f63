package io.delayqueue.sample.callbacks;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.stereotype.Component;

/**
 * Makes HTTP calls to partners, with a timeout of 5 seconds and without following
 * redirects.
 */
@Component
final class Partner {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/**
	 * The HTTP status codes with which a partner asks for a later call: 425 Too Early and
	 * 429 Too Many Requests.
	 */
	private static final Set<Integer> LATER = Set.of(425, 429);

	/**
	 * The minimum wait before the next call, so that a partner is not called in a tight
	 * loop.
	 */
	private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

	private static final Duration LONGEST_WAIT = Duration.ofDays(30);

	private final HttpClient http = HttpClient.newBuilder()
		.version(Version.HTTP_1_1)
		.followRedirects(Redirect.NEVER)
		.connectTimeout(TIMEOUT)
		.build();

	private final JsonMapper json;

	Partner(JsonMapper json) {
		this.json = json;
	}

	PartnerAnswer call(Callback callback, int attempt) throws InterruptedException {
		try {
			HttpRequest request = HttpRequest.newBuilder(callback.url())
				.timeout(TIMEOUT)
				.header("Content-Type", "application/json")
				.POST(BodyPublishers.ofByteArray(this.json.writeValueAsBytes(new Call(callback.id(), attempt))))
				.build();
			HttpResponse<InputStream> response = this.http.send(request, BodyHandlers.ofInputStream());
			response.body().close(); // only the HTTP status is used
			int status = response.statusCode();
			return new PartnerAnswer(Integer.toString(status), status / 100 == 2,
					LATER.contains(status) ? retryAfter(response.headers()) : null);
		}
		catch (IOException ex) {
			return PartnerAnswer.none(ex);
		}
	}

	/**
	 * Returns the wait that the header {@code Retry-After} requests in seconds or as a
	 * date (RFC 9110, 10.2.3). A date is compared with the {@code Date} header of the
	 * response.
	 */
	private static @Nullable Duration retryAfter(HttpHeaders headers) {
		String value = headers.firstValue("Retry-After").orElse("");
		if (value.matches("\\d{1,9}")) {
			return bounded(Duration.ofSeconds(Long.parseLong(value)));
		}
		Instant then = date(value);
		Instant now = headers.firstValue("Date").map(Partner::date).orElseGet(Clock.systemUTC()::instant);
		return (then != null) ? bounded(Duration.between(now, then)) : null;
	}

	private static @Nullable Instant date(String value) {
		try {
			return ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	private static Duration bounded(Duration wait) {
		if (wait.compareTo(SHORTEST_WAIT) < 0) {
			return SHORTEST_WAIT;
		}
		return (wait.compareTo(LONGEST_WAIT) > 0) ? LONGEST_WAIT : wait;
	}

	/**
	 * The body of a call to a partner.
	 *
	 * @param id the callback's id
	 * @param attempt the number of the call, from 1
	 */
	record Call(String id, int attempt) {

	}

}
