package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ScheduleRequestTests {

	private static final Instant DUE = Instant.parse("2100-01-01T00:00:00Z");

	private static final BackOffPolicy BACK_OFF = BackOffPolicy.fixed(Duration.ofMinutes(1));

	private static final ScheduleRequest TEMPLATE = ScheduleRequest.to("orders");

	@Test
	void aNewRequestHasOnlyItsQueue() {
		assertThat(TEMPLATE.queue()).isEqualTo("orders");
		assertThat(TEMPLATE.payload()).isEmpty();
		assertThat(TEMPLATE.id()).isEmpty();
		assertThat(TEMPLATE.group()).isEmpty();
		assertThat(TEMPLATE.headers()).isEmpty();
		assertThat(TEMPLATE.delay()).isEmpty();
		assertThat(TEMPLATE.dueAt()).isEmpty();
		assertThat(TEMPLATE.maxAttempts()).isEmpty();
		assertThat(TEMPLATE.backOff()).isEmpty();
		assertThat(TEMPLATE.expireAfter()).isEmpty();
		assertThat(TEMPLATE.expiresAt()).isEmpty();
		assertThat(TEMPLATE.within()).isEmpty();
		assertThat(TEMPLATE.onDuplicate()).isEqualTo(DuplicatePolicy.keep());
	}

	@Test
	void eachSetterReturnsANewRequest() {
		ScheduleRequest request = TEMPLATE.payload("p")
			.id("订单")
			.group("用户")
			.header("one", "1")
			.header("two", "2")
			.delay(Duration.ofMinutes(1))
			.expireAfter(Duration.ofMinutes(3))
			.onDuplicate(DuplicatePolicy.replace())
			.maxAttempts(3)
			.backOff(BACK_OFF);
		assertThat(request.payload()).contains("p");
		assertThat(request.id()).contains("订单");
		assertThat(request.group()).contains("用户");
		assertThat(request.headers()).containsExactly(Map.entry("one", "1"), Map.entry("two", "2"));
		assertThat(request.delay()).contains(Duration.ofMinutes(1));
		assertThat(request.expireAfter()).contains(Duration.ofMinutes(3));
		assertThat(request.onDuplicate()).isEqualTo(DuplicatePolicy.replace());
		assertThat(request.maxAttempts()).contains(3);
		assertThat(request.backOff()).contains(BACK_OFF);
		assertThat(request.id("b").group("h").delay(Duration.ZERO)).satisfies((changed) -> {
			assertThat(changed.onDuplicate()).isEqualTo(DuplicatePolicy.replace());
			assertThat(changed.expireAfter()).contains(Duration.ofMinutes(3));
		});
		assertThat(TEMPLATE).isEqualTo(ScheduleRequest.to("orders"));
	}

	@Test
	void delayAndDueTimeReplaceEachOther() {
		ScheduleRequest delayed = TEMPLATE.dueAt(DUE).delay(Duration.ZERO);
		assertThat(delayed.dueAt()).isEmpty();
		assertThat(delayed.delay()).contains(Duration.ZERO);
		ScheduleRequest due = delayed.dueAt(DUE);
		assertThat(due.delay()).isEmpty();
		assertThat(due.dueAt()).contains(DUE);
	}

	@Test
	void expireAfterAndExpiresAtReplaceEachOther() {
		ScheduleRequest fixed = TEMPLATE.expireAfter(Duration.ofMillis(1)).expiresAt(DUE);
		assertThat(fixed.expireAfter()).isEmpty();
		assertThat(fixed.expiresAt()).contains(DUE);
		ScheduleRequest counted = fixed.expireAfter(Duration.ofDays(3650));
		assertThat(counted.expiresAt()).isEmpty();
		assertThat(counted.expireAfter()).contains(Duration.ofDays(3650));
	}

	@Test
	void dueTimeAndExpiryAreIndependent() {
		ScheduleRequest request = TEMPLATE.expiresAt(DUE).dueAt(DUE);
		assertThat(request.expiresAt()).contains(DUE);
		assertThat(request.dueAt()).contains(DUE);
		assertThat(request.delay(Duration.ZERO).expiresAt()).contains(DUE);
		assertThat(request.expireAfter(Duration.ofHours(1)).dueAt()).contains(DUE);
		assertThat(TEMPLATE.delay(Duration.ZERO).expiresAt(Instant.EPOCH).delay()).contains(Duration.ZERO);
	}

	@Test
	void anExpiryBeforeTheDueTimeIsRejectedInEitherOrderOfTheSetters() {
		Instant before = DUE.minusMillis(1);
		for (Runnable call : List.<Runnable>of(() -> TEMPLATE.dueAt(DUE).expiresAt(before),
				() -> TEMPLATE.expiresAt(before).dueAt(DUE))) {
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
				.withMessage(
						"expiresAt is '2099-12-31T23:59:59.999Z' but must be at or after dueAt, which is 2100-01-01T00:00:00Z")
				.satisfies((problem) -> assertThat(problem.field()).isEqualTo("expiresAt"));
		}
	}

	@Test
	void windowIsIndependentOfDueTimeAndExpiry() {
		ScheduleRequest request = TEMPLATE.within(Duration.ofMinutes(10));
		assertThat(request.within()).contains(Duration.ofMinutes(10));
		assertThat(request.delay(Duration.ZERO).dueAt(DUE).expireAfter(Duration.ofHours(1)).within())
			.contains(Duration.ofMinutes(10));
		assertThat(request.toString()).contains("within=PT10M");
		assertThat(TEMPLATE.dueAt(DUE).expiresAt(DUE.plusSeconds(600)).within(Duration.ofMinutes(10)).within())
			.isPresent();
	}

	@Test
	void negativeWindowIsRejected() {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> TEMPLATE.within(Duration.ofNanos(-1)))
			.withMessage("within is '-1ns' but must be a duration of 0 or more")
			.satisfies((problem) -> assertThat(problem.field()).isEqualTo("within"));
	}

	@Test
	void windowBeyondTheExpiryIsRejectedInAnyOrderOfTheSetters() {
		Duration within = Duration.ofSeconds(61);
		Instant expiry = DUE.plusSeconds(60);
		for (Runnable call : List.<Runnable>of(() -> TEMPLATE.dueAt(DUE).expiresAt(expiry).within(within),
				() -> TEMPLATE.within(within).expiresAt(expiry).dueAt(DUE),
				() -> TEMPLATE.within(within).dueAt(DUE).expiresAt(expiry))) {
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
				.withMessage("within is '1m 1s' but must be at most 1m, the time from dueAt to expiresAt");
		}
	}

	@Test
	void settingAHeaderTwiceKeepsTheLastValue() {
		assertThat(TEMPLATE.header("one", "1").header("one", "2").headers()).containsExactly(Map.entry("one", "2"));
	}

	@Test
	void headersAreImmutable() {
		ScheduleRequest request = TEMPLATE.header("one", "1");
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> request.headers().put("two", "2"));
	}

	@Test
	void everySetterValidatesItsValue() {
		refused("queue", () -> ScheduleRequest.to("a b"));
		refused("payload", () -> TEMPLATE.payload(null));
		refused("id", () -> TEMPLATE.id(""));
		refused("group", () -> TEMPLATE.group("a\nb"));
		refused("header name", () -> TEMPLATE.header("", "value"));
		refused("header 'name'", () -> TEMPLATE.header("name", null));
		refused("delay", () -> TEMPLATE.delay(Duration.ofMillis(-1)));
		refused("maxAttempts", () -> TEMPLATE.maxAttempts(0));
		refused("maxAttempts", () -> TEMPLATE.maxAttempts(10_001));
		refused("backOff", () -> TEMPLATE.backOff(null));
		refused("backOff", () -> TEMPLATE.backOff(BackOffPolicy.delays(Collections.nCopies(101, Duration.ZERO))));
		refused("dueAt", () -> TEMPLATE.dueAt(Instant.EPOCH.minusMillis(1)));
		refused("expiresAt", () -> TEMPLATE.expiresAt(Instant.EPOCH.minusMillis(1)));
		refused("expiresAt", () -> TEMPLATE.expiresAt(Instant.MAX));
		refused("expiresAt", () -> TEMPLATE.expiresAt(null));
		refused("expireAfter", () -> TEMPLATE.expireAfter(Duration.ofNanos(999_999)));
		refused("expireAfter", () -> TEMPLATE.expireAfter(Duration.ofDays(3650).plusNanos(1)));
		refused("expireAfter", () -> TEMPLATE.expireAfter(null));
		refused("onDuplicate", () -> TEMPLATE.onDuplicate(null));
	}

	@Test
	void requestsAreEqualByTheirValues() {
		ScheduleRequest request = TEMPLATE.payload("p").id("a").group("g").header("n", "v").delay(Duration.ZERO);
		assertThat(request)
			.isEqualTo(
					ScheduleRequest.to("orders").delay(Duration.ZERO).header("n", "v").group("g").id("a").payload("p"))
			.hasSameHashCodeAs(TEMPLATE.payload("p").id("a").group("g").header("n", "v").delay(Duration.ZERO))
			.isNotEqualTo(request.payload("q"))
			.isNotEqualTo(request.id("b"))
			.isNotEqualTo(request.group("h"))
			.isNotEqualTo(request.header("n", "w"))
			.isNotEqualTo(request.delay(Duration.ofNanos(1)))
			.isNotEqualTo(request.maxAttempts(3))
			.isNotEqualTo(request.backOff(BACK_OFF))
			.isNotEqualTo(request.expireAfter(Duration.ofDays(1)))
			.isNotEqualTo(request.expiresAt(DUE))
			.isNotEqualTo(request.onDuplicate(DuplicatePolicy.fail()))
			.isNotEqualTo(request.dueAt(DUE));
	}

	@Test
	void toStringOmitsPayloadAndHeaderValues() {
		ScheduleRequest request = TEMPLATE.payload("secret payload").id("a").header("card", "secret value");
		assertThat(request.toString()).contains("orders", "a", "card").doesNotContain("secret");
	}

	@Test
	void aWaitOfTheBackOffIsAtMostTenYears() {
		Duration longest = Duration.ofDays(3650);
		assertThat(BackOffPolicy.delays(List.of(longest)).waitAfter(1)).isEqualTo(longest);
		for (Duration wait : List.of(longest.plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE), Duration.ofNanos(-1))) {
			assertThatIllegalArgumentException().isThrownBy(() -> BackOffPolicy.delays(List.of(wait)))
				.withMessageContaining("from 0 to 3650 days");
		}
	}

	private static void refused(String field, Runnable call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
			.satisfies((problem) -> assertThat(problem.field()).isEqualTo(field));
	}

}
