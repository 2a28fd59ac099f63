package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RulesTests {

	private static final String PARCEL = "\ud83d\udce6";

	private static final String QUEUE_RULE = "1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit";

	private static final String TEXT_RULE = "1 to 200 code points of well-formed text without control characters";

	@ParameterizedTest
	@ValueSource(strings = { "a", "0", "order-timeout", "Order.Timeout_2", "a-" })
	void validQueueNamesAreAccepted(String queue) {
		assertThat(Rules.queue(queue)).isSameAs(queue);
	}

	@Test
	void aQueueNameHasAtMost100Characters() {
		assertThat(Rules.queue("q".repeat(100))).hasSize(100);
		refused(() -> Rules.queue("q".repeat(101)), "queue", "q".repeat(60) + "...", QUEUE_RULE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "-a", ".a", "_a", "a b", "a:b", "{a}", "a}b", "a/b", "订单", "a\n", "ä" })
	void invalidQueueNamesAreRejected(String queue) {
		refused(() -> Rules.queue(queue), "queue", queue.replace("\n", "\ufffd"), QUEUE_RULE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", " ", "订单-四二", "{a}", "a:b", PARCEL, "a\u0308", "\u200b", "'", "\u00a0" })
	void validIdsAndGroupsAreAccepted(String text) {
		assertThat(Rules.id(text)).isSameAs(text);
		assertThat(Rules.group(text)).isSameAs(text);
	}

	@Test
	void idsAndGroupsAreMeasuredInCodePoints() {
		assertThat(Rules.id(PARCEL.repeat(200))).hasSize(400);
		assertThat(Rules.group("订".repeat(200))).hasSize(200);
		refused(() -> Rules.id(PARCEL.repeat(201)), "id", PARCEL.repeat(60) + "...", TEXT_RULE);
		refused(() -> Rules.group("订".repeat(201)), "group", "订".repeat(60) + "...", TEXT_RULE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a\nb", "a\rb", "a\tb", "\0", "\u0007", "\u001b[31m", "\u007f", "\u0085", "\u009f" })
	void idsAndGroupsHaveNoControlCharacters(String text) {
		String shown = text.replaceAll("\\p{Cntrl}|[\u0080-\u009f]", "\ufffd");
		refused(() -> Rules.id(text), "id", shown, TEXT_RULE);
		refused(() -> Rules.group(text), "group", shown, TEXT_RULE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\ud83d", "\udce6", "a\ud83d", "\udce6\ud83d", "\ud83dx\udce6" })
	void textHasNoLoneSurrogates(String text) {
		refusedWith(() -> Rules.id(text), "id", TEXT_RULE);
		refusedWith(() -> Rules.group(text), "group", TEXT_RULE);
		refusedWith(() -> Rules.header(Map.of(), text, "value"), "header name", TEXT_RULE);
		refusedWith(() -> Rules.header(Map.of(), "name", text), "header 'name'", "well-formed text");
	}

	@ParameterizedTest
	@MethodSource
	void nullIsRejected(String field, Runnable check) {
		refused(check, field, "null", "");
	}

	static Stream<Arguments> nullIsRejected() {
		return Stream.of(check("queue", Rules::queue), check("id", Rules::id), check("group", Rules::group),
				check("header name", (value) -> Rules.header(Map.of(), value, "value")),
				check("header 'name'", (value) -> Rules.header(Map.of(), "name", value)),
				Arguments.of("delay", (Runnable) () -> Rules.delay(null)),
				Arguments.of("dueAt", (Runnable) () -> Rules.dueAt(null)));
	}

	@Test
	void headerValuesMayContainAnyWellFormedText() {
		Map<String, String> none = Map.of();
		assertThat(Rules.header(none, "traceparent", "")).isSameAs(none);
		assertThat(Rules.header(none, "名字", "line\nbreak\0")).isSameAs(none);
		assertThat(Rules.header(none, "name", "v".repeat(8192))).isSameAs(none);
		refused(() -> Rules.header(none, "name", "v".repeat(8193)), "header 'name'", "v".repeat(60) + "...",
				"well-formed text of at most 8192 characters, not null");
		refused(() -> Rules.header(none, "", "value"), "header name", "", TEXT_RULE);
		refused(() -> Rules.header(none, "n".repeat(201), "value"), "header name", "n".repeat(60) + "...", TEXT_RULE);
	}

	@Test
	void aMessageHasAtMost64Headers() {
		Map<String, String> headers = new HashMap<>();
		for (int i = 0; i < 64; i++) {
			assertThat(Rules.header(headers, "name-" + i, "value")).isSameAs(headers);
			headers.put("name-" + i, "value");
		}
		assertThat(Rules.header(headers, "name-63", "another value")).isSameAs(headers);
		refused(() -> Rules.header(headers, "name-64", "value"), "headers", "name-64", "at most 64 headers");
	}

	@Test
	void aDelayIsNotNegative() {
		assertThat(Rules.delay(Duration.ZERO)).isZero();
		assertThat(Rules.delay(Duration.ofNanos(1))).isEqualTo(Duration.ofNanos(1));
		refused(() -> Rules.delay(Duration.ofNanos(-1)), "delay", "-1ns", "a duration of 0 or more");
		refused(() -> Rules.delay(Duration.ofDays(-1)), "delay", "-1d", "a duration of 0 or more");
	}

	@Test
	void aDueTimeLiesBetween1970AndTheYear9999() {
		String limit = "an instant from 1970-01-01T00:00:00Z to 9999-12-31T23:59:59Z";
		Instant latest = Instant.parse("9999-12-31T23:59:59Z");
		assertThat(Rules.dueAt(Instant.EPOCH)).isEqualTo(Instant.EPOCH);
		assertThat(Rules.dueAt(latest)).isEqualTo(latest);
		refused(() -> Rules.dueAt(Instant.EPOCH.minusNanos(1)), "dueAt", "1969-12-31T23:59:59.999999999Z", limit);
		refused(() -> Rules.dueAt(latest.plusNanos(1)), "dueAt", "9999-12-31T23:59:59.000000001Z", limit);
		refusedWith(() -> Rules.dueAt(Instant.MIN), "dueAt", limit);
		refusedWith(() -> Rules.dueAt(Instant.MAX), "dueAt", limit);
	}

	@Test
	void aRejectedValueIsShownWithoutControlCharacters() {
		String forged = "a\n2026-01-01 ERROR all is lost\r\u001b[2J\u0085";
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> Rules.id(forged))
			.satisfies((problem) -> assertThat(problem.getMessage().codePoints()).noneMatch(Character::isISOControl));
	}

	@Test
	void aRejectedValueIsCutBetweenCodePoints() {
		String text = PARCEL.repeat(61) + "\n";
		refused(() -> Rules.id(text), "id", PARCEL.repeat(60) + "...", TEXT_RULE);
		refused(() -> Rules.id("x".repeat(59) + "\n"), "id", "x".repeat(59) + "\ufffd", TEXT_RULE);
	}

	private static Arguments check(String field, Consumer<String> check) {
		return Arguments.of(field, (Runnable) () -> check.accept(null));
	}

	private static void refused(Runnable check, String field, String shown, String limit) {
		refusedWith(check, field, field + " is '" + shown + "' but must be " + limit);
	}

	private static void refusedWith(Runnable check, String field, String words) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(check::run)
			.withMessageContaining(words)
			.satisfies((problem) -> assertThat(problem.field()).isEqualTo(field));
	}

}
