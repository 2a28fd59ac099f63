package io.delayqueue.delivery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.record.FailureRecord;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Operators select dead letters by each reason; on the dashboard also if the page shows
 * no dead letter with this reason.
 */
class DashboardReasonsTests {

	private static final Pattern REASONS = Pattern.compile("const REASONS = \\{(.*?)};", Pattern.DOTALL);

	private static final Pattern REASON = Pattern.compile("^\t(\\w+): '.+'", Pattern.MULTILINE);

	@Test
	void theScriptOfTheDashboardExplainsEachReason() throws IOException {
		Matcher reasons = REASONS.matcher(new ClassPathResource("io/delayqueue/actuate/dashboard/words.js")
			.getContentAsString(StandardCharsets.UTF_8));

		assertThat(reasons.find()).isTrue();
		assertThat(REASON.matcher(reasons.group(1)).results().map((reason) -> reason.group(1)))
			.containsExactlyInAnyOrderElementsOf(Arrays.stream(Reason.values()).map(Reason::name).toList());
	}

	@Test
	void deadLettersAreSelectedByEachReason() {
		assertThat(DeadLetter.REASONS)
			.containsOnlyOnceElementsOf(Arrays.stream(Reason.values()).map(Reason::name).toList())
			.hasSize(Reason.values().length + 1)
			.contains(FailureRecord.UNKNOWN);
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> DeadLetterSelection.of("orders").because("HANDLER_FALED"))
			.withMessageContaining("HANDLER_FAILED, NEVER_RETRIED");
	}

}
