package io.delayqueue.recurring;

import java.time.Instant;
import java.util.List;

import io.delayqueue.record.RecurringRecord;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.Occurrence;
import io.delayqueue.store.RecurringSteps.Step;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps of definitions whose instant is not known, because it was lost or a call stopped
 * half-way. Each is daily at nine, and was stored on 2 June at noon.
 */
class StepsTests {

	private static final Instant STORED = Instant.parse("2027-06-02T12:00:00Z");

	private static final Instant THIRD = Instant.parse("2027-06-03T09:00:00Z");

	private static final Instant FOURTH = Instant.parse("2027-06-04T09:00:00Z");

	@Test
	void anOccurrenceThatIsStoredAheadGivesTheInstant() {
		assertStep(step(THIRD.toString(), STORED.plusSeconds(60)), THIRD);
	}

	@Test
	void anInstantThatACallDidNotFinishIsTheNext() {
		assertStep(step("-" + THIRD, STORED.plusSeconds(60)), THIRD);
		assertStep(step("-" + THIRD, THIRD.plusSeconds(1)), FOURTH, THIRD, FOURTH);
	}

	@Test
	void anAdvanceThatStoppedIsRepeatedFromItsInstant() {
		assertStep(step(THIRD + "/" + FOURTH, THIRD.plusSeconds(1)), FOURTH, FOURTH);
	}

	@Test
	void aNewDefinitionBeginsWithItsFirstInstant() {
		assertStep(step("-", STORED), THIRD, THIRD);
		assertStep(step("-", STORED.minusMillis(1)), THIRD, THIRD);
	}

	@Test
	void theLastOccurrenceOfTheDefinitionBeforeGivesNoInstants() {
		Step step = step("2027-05-20T08:00:00Z", STORED.plusSeconds(60));
		assertStep(step, THIRD, THIRD);
		assertThat(step.missed()).isZero();
	}

	private static void assertStep(Step step, Instant next, Instant... occurrences) {
		assertThat(Instant.ofEpochMilli(step.nextMillis())).isEqualTo(next);
		assertThat(step.occurrences()).extracting(Occurrence::instant).isEqualTo(List.of(occurrences));
	}

	private static Step step(String last, Instant now) {
		RecurringRecord record = RecurringRecord.from("1 gen " + STORED.toEpochMilli() + "000 0 0 " + last
				+ " 0 0 0 0 0\n\n{\"cron\":\"0 0 9 * * *\",\"zone\":\"UTC\",\"missed\":\"ALL\"}\n");
		return Steps.of(new DueDefinition("daily", 0, record), now.toEpochMilli() * 1000, true);
	}

}
