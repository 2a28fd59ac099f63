package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class HoldExceptionTests {

	private static final Duration OTHERWISE = Duration.ofMinutes(1);

	private static final Instant DATE = Instant.parse("2094-11-06T08:49:37Z");

	@Test
	void aHoldIsOfTheQueueOrOfTheGroup() {
		assertThat(HoldException.queue(OTHERWISE, "busy")).returns(true, HoldException::isOfQueue)
			.returns(OTHERWISE, HoldException::duration)
			.returns(null, HoldException::until)
			.returns("busy", HoldException::why)
			.hasMessage("The queue is held for 1m: busy");
		assertThat(HoldException.group(DATE, "")).returns(false, HoldException::isOfQueue)
			.returns(null, HoldException::duration)
			.returns(DATE, HoldException::until)
			.hasMessage("The group is held until 2094-11-06T08:49:37Z");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "120", " 120 ", "00120" })
	void secondsOfRetryAfterAreRead(String value) {
		assertThat(HoldException.queueRetryAfter(value, OTHERWISE, "").duration())
			.isEqualTo(Duration.ofSeconds(Long.parseLong(value.strip())));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Sat, 06 Nov 2094 08:49:37 GMT", "Saturday, 06-Nov-94 08:49:37 GMT",
			"Sat Nov  6 08:49:37 2094" })
	void datesOfRetryAfterAreRead(String value) {
		assertThat(HoldException.groupRetryAfter(value, OTHERWISE, "")).returns(DATE, HoldException::until)
			.returns(null, HoldException::duration)
			.returns(OTHERWISE, HoldException::otherwise)
			.returns(false, HoldException::isOfQueue);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "0", "", " ", "soon", "-1", "1.5", "١٢", "Sun, 06 Nov 2094 08:49:37 GMT", "Sat, 06 Nov 2094" })
	void otherwiseTheGivenDurationCounts(String value) {
		assertThat(HoldException.queueRetryAfter(value, OTHERWISE, "").duration()).isEqualTo(OTHERWISE);
		assertThat(HoldException.queueRetryAfter(null, OTHERWISE, "").duration()).isEqualTo(OTHERWISE);
	}

	@Test
	void aVeryLongTimeIsCut() {
		Duration longest = Duration.ofDays(3650);
		assertThat(HoldException.queueRetryAfter("9".repeat(300), OTHERWISE, "").duration()).isEqualTo(longest);
		assertThat(HoldException.queueRetryAfter("999999999999", OTHERWISE, "").duration()).isEqualTo(longest);
		assertThat(HoldException.queue(Duration.ofSeconds(Long.MAX_VALUE), "").duration()).isEqualTo(longest);
	}

	@Test
	void aReasonIsCutAndCannotForgeALogLine() {
		assertThat(HoldException.queue(OTHERWISE, " a\r\nb\u2028\u202ec\ud800 ").why()).isEqualTo("a  b  c ");
		assertThat(HoldException.queue(OTHERWISE, "x".repeat(2000)).why()).hasSize(500);
	}

	@Test
	@SuppressWarnings("NullAway")
	void invalidArgumentsAreNamed() {
		assertInvalid("duration", () -> HoldException.group((Duration) null, ""));
		assertInvalid("duration", () -> HoldException.queueRetryAfter("1", null, ""));
		assertInvalid("until", () -> HoldException.queue((Instant) null, ""));
		assertInvalid("until", () -> HoldException.group(Instant.MAX, ""));
		assertInvalid("until", () -> HoldException.group(Instant.EPOCH.minusMillis(1), ""));
		assertInvalid("why", () -> HoldException.queue(OTHERWISE, null));
	}

	private static void assertInvalid(String field, Supplier<HoldException> call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::get)
			.returns(field, InvalidMessageException::field);
	}

}
