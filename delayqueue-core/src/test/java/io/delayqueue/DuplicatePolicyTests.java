package io.delayqueue;

import java.time.Duration;

import io.delayqueue.DuplicatePolicy.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DuplicatePolicyTests {

	private static final Duration LONGEST = Duration.ofDays(3650);

	@Test
	void eachFactoryMethodReturnsItsKind() {
		assertThat(DuplicatePolicy.keep().kind()).isEqualTo(Kind.KEEP);
		assertThat(DuplicatePolicy.replace().kind()).isEqualTo(Kind.REPLACE);
		assertThat(DuplicatePolicy.fail().kind()).isEqualTo(Kind.FAIL);
		assertThat(DuplicatePolicy.postpone(LONGEST).kind()).isEqualTo(Kind.POSTPONE);
	}

	@Test
	void onlyPostponeHasALimit() {
		assertThat(DuplicatePolicy.postpone(LONGEST).limit()).contains(LONGEST);
		assertThat(DuplicatePolicy.keep().limit()).isEmpty();
		assertThat(DuplicatePolicy.replace().limit()).isEmpty();
		assertThat(DuplicatePolicy.fail().limit()).isEmpty();
	}

	@Test
	void theLimitIsValidated() {
		assertThat(DuplicatePolicy.postpone(Duration.ofMillis(1)).limit()).contains(Duration.ofMillis(1));
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> DuplicatePolicy.postpone(LONGEST.plusNanos(1)))
			.withMessage("the limit of postpone is '3650d 1ns' but must be a duration from 1 ms to 3650 days");
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> DuplicatePolicy.postpone(Duration.ZERO));
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> DuplicatePolicy.postpone(null));
	}

	@Test
	void policiesAreEqualByKindAndLimit() {
		assertThat(DuplicatePolicy.postpone(Duration.ofMinutes(1)))
			.isEqualTo(DuplicatePolicy.postpone(Duration.ofSeconds(60)))
			.hasSameHashCodeAs(DuplicatePolicy.postpone(Duration.ofSeconds(60)))
			.isNotEqualTo(DuplicatePolicy.postpone(Duration.ofMinutes(2)));
		assertThat(DuplicatePolicy.keep()).isNotEqualTo(DuplicatePolicy.replace());
	}

	@Test
	void toStringContainsKindAndLimit() {
		assertThat(DuplicatePolicy.fail()).hasToString("FAIL");
		assertThat(DuplicatePolicy.postpone(Duration.ofMinutes(1))).hasToString("POSTPONE[limit=PT1M]");
	}

}
