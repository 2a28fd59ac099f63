package io.delayqueue;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BatchFailedExceptionTests {

	private final IllegalStateException first = new IllegalStateException("first");

	@Test
	void throwIfAnyThrowsOnlyAfterAFailureWasAdded() {
		BatchFailedException failed = new BatchFailedException();
		failed.throwIfAny();

		assertThatExceptionOfType(BatchFailedException.class)
			.isThrownBy(() -> failed.failed("a", this.first).throwIfAny())
			.isSameAs(failed)
			.withMessage("1 messages of the batch failed, the first one 'a': " + this.first);
	}

	@Test
	void theFirstCauseOfAMessageIsKept() {
		BatchFailedException failed = new BatchFailedException().failed("a", this.first)
			.failed("b", new IllegalStateException("second"))
			.failed("a", new IllegalStateException("third"));
		Map<String, Throwable> failures = failed.failures();

		failed.failed("c", this.first);

		assertThat(failures).containsOnlyKeys("a", "b").containsEntry("a", this.first);
		assertThat(failed.failures()).containsOnlyKeys("a", "b", "c");
	}

	@Test
	@SuppressWarnings("NullAway") // callers without null checks
	void aFailureWithoutCauseOrWithInvalidIdIsRejected() {
		BatchFailedException failed = new BatchFailedException();

		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> failed.failed("a", null))
			.withMessage("cause is 'null' but must be the cause of the message's failure");
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> failed.failed("", this.first));
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> failed.failed("a\nb", this.first));
		assertThat(failed.failures()).isEmpty();
	}

}
