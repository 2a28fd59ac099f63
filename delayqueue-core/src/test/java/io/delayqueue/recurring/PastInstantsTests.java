package io.delayqueue.recurring;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

import io.delayqueue.MissedPolicy;
import io.delayqueue.Recurrence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PastInstantsTests {

	private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

	private static final ZoneId UTC = ZoneId.of("UTC");

	@ParameterizedTest
	@CsvSource({ "LATEST,1,60", "ALL,161,0", "NONE,1,60" })
	void aYearOfMissedSecondsIsCountedWithoutEnumeratingIt(MissedPolicy policy, int stored, int notStored) {
		Recurrence recurrence = new Recurrence(null, null, Duration.ofSeconds(1), null, null);
		Instant now = BEGIN.plus(Duration.ofDays(365));
		PastInstants past = new PastInstants(recurrence, BEGIN, now);

		past.addBetween(BEGIN, now);

		assertThat(past.missed(policy)).isEqualTo(365 * 86_400 - 61 + notStored);
		assertThat(past.toStore(policy)).hasSize(stored).isSorted().doesNotHaveDuplicates().endsWith(now);
		assertThat(past.toStore(policy).get(0)).isEqualTo(now.minusSeconds(stored - 1));
	}

	@Test
	void aYearOfMissedSecondsOfACronExpressionIsCutToTheNewest() {
		Recurrence recurrence = new Recurrence("* * * * * *", UTC, null, null, null);
		Instant now = BEGIN.plus(Duration.ofDays(365));
		PastInstants past = new PastInstants(recurrence, BEGIN, now);

		past.addBetween(BEGIN, now);

		assertThat(past.missed(MissedPolicy.ALL)).isGreaterThan(20_000);
		assertThat(past.toStore(MissedPolicy.ALL)).hasSize(161).isSorted().endsWith(now);
	}

	@ParameterizedTest
	@CsvSource({ "*/10 * * * * *,3", "*/7 * * * * *,3", "0 * * * * *,30", "* * * * * *,40" })
	void theNewestMissedInstantsOfACronExpressionFollowOneAnother(String cron, int days) {
		Recurrence recurrence = new Recurrence(cron, UTC, null, null, null);
		Instant now = BEGIN.plus(Duration.ofDays(days));
		PastInstants past = new PastInstants(recurrence, BEGIN, now);

		past.addBetween(BEGIN, now);

		List<Instant> stored = past.toStore(MissedPolicy.ALL);
		Instant limit = now.minusSeconds(60);
		assertThat(stored).filteredOn((instant) -> instant.isBefore(limit)).hasSize(100);
		assertThat(stored).isEqualTo(recurrence.upcoming(stored.get(0).minusMillis(1), BEGIN, stored.size()));
		assertThat(recurrence.next(stored.get(stored.size() - 1), BEGIN).orElseThrow()).isAfter(now);
	}

	@Test
	void aRareInstantBehindManyIsTheLatest() {
		Recurrence recurrence = new Recurrence("* * * 1 1 *", UTC, null, null, null);
		Instant now = BEGIN.plus(Duration.ofDays(700));
		PastInstants past = new PastInstants(recurrence, BEGIN, now);

		past.addBetween(BEGIN, now);

		assertThat(past.toStore(MissedPolicy.LATEST)).containsExactly(Instant.parse("2027-01-01T23:59:59Z"));
	}

	@ParameterizedTest
	@CsvSource({ "LATEST,61,true", "NONE,61,false", "LATEST,60,true", "NONE,60,true" })
	void theLatestInstantIsDeliveredIfItIsLateByAtMostAMinute(MissedPolicy policy, int late, boolean stored) {
		Recurrence recurrence = new Recurrence(null, null, Duration.ofHours(1), BEGIN, null);
		PastInstants past = new PastInstants(recurrence, BEGIN, BEGIN.plusSeconds(3600 + late));

		past.addBetween(BEGIN, BEGIN.plusSeconds(3600 + late));

		assertThat(past.toStore(policy)).isEqualTo(stored ? List.of(BEGIN.plusSeconds(3600)) : List.of());
		assertThat(past.missed(policy)).isEqualTo((late > 60) ? 1 : 0);
	}

	@Test
	void anInstantOfTheLastMinuteIsLateAndNotMissed() {
		Recurrence recurrence = new Recurrence(null, null, Duration.ofSeconds(60), null, null);
		PastInstants past = new PastInstants(recurrence, BEGIN, BEGIN.plusSeconds(120));

		past.addBetween(BEGIN, BEGIN.plusSeconds(120));

		assertThat(past.missed(MissedPolicy.ALL)).isZero();
		assertThat(past.toStore(MissedPolicy.ALL)).containsExactly(BEGIN.plusSeconds(60), BEGIN.plusSeconds(120));
	}

	@Test
	void anIntervalThatBeganLongAfterItWasStoredIsCountedFromItsBegin() {
		Instant from = BEGIN.plus(Duration.ofDays(300));
		Recurrence recurrence = new Recurrence(null, null, Duration.ofSeconds(1), from, null);
		PastInstants past = new PastInstants(recurrence, BEGIN, from.plusSeconds(1000));

		past.addBetween(BEGIN, from.plusSeconds(1000));

		assertThat(past.missed(MissedPolicy.ALL)).isEqualTo(940);
		assertThat(past.toStore(MissedPolicy.ALL)).hasSize(161).endsWith(from.plusSeconds(1000));
	}

	@Test
	void anIntervalThatEndedLongAgoIsCountedWithoutEnumeratingIt() {
		Instant until = BEGIN.plus(Duration.ofDays(600));
		Recurrence recurrence = new Recurrence(null, null, Duration.ofSeconds(1), null, until);
		PastInstants past = new PastInstants(recurrence, BEGIN, BEGIN.plus(Duration.ofDays(900)));

		past.addBetween(BEGIN, BEGIN.plus(Duration.ofDays(900)));

		assertThat(past.missed(MissedPolicy.ALL)).isEqualTo(600 * 86_400);
		assertThat(past.toStore(MissedPolicy.ALL)).hasSize(100).endsWith(until);
	}

	@Test
	void theLastInstantOfAnIntervalIsNotPassed() {
		Recurrence recurrence = new Recurrence(null, null, Duration.ofSeconds(1), null, BEGIN.plusSeconds(500));
		PastInstants past = new PastInstants(recurrence, BEGIN, BEGIN.plusSeconds(5000));

		past.addBetween(BEGIN, BEGIN.plusSeconds(5000));

		assertThat(past.missed(MissedPolicy.ALL)).isEqualTo(500);
		assertThat(past.toStore(MissedPolicy.LATEST)).containsExactly(BEGIN.plusSeconds(500));
	}

}
