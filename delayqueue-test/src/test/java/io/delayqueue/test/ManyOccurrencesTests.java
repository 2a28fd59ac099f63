package io.delayqueue.test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.RecurringSnapshot.Counts;
import io.delayqueue.RecurringSnapshot.Marks;
import io.delayqueue.RecurringSnapshot.Policies;
import io.delayqueue.RecurringSnapshot.State;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** An advance over many occurrences names the schedules that cause them. */
class ManyOccurrencesTests {

	private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");

	private static final Instant WEEK = NOW.plus(Duration.ofDays(7));

	@Test
	void schedulesWithManyOccurrencesAreNamedWithTheirNumber() {
		assertThat(ManyOccurrences.of(List.of(every(5, null), cron("0 0 9 * * *"), cron("*/10 * * * * *")), NOW, WEEK))
			.isEqualTo("about 120960 of 'every-5' in queue 'q', about 60480 of '*/10 * * * * *' in queue 'q'");
	}

	@Test
	void shortAdvancesAndSchedulesThatEndAreNotNamed() {
		assertThat(ManyOccurrences.of(List.of(every(1, null)), NOW, NOW.plusSeconds(10_000))).isEmpty();
		assertThat(ManyOccurrences.of(List.of(every(1, NOW.plusSeconds(3600))), NOW, WEEK)).isEmpty();
		assertThat(ManyOccurrences.of(List.of(every(61, null)), NOW, WEEK)).isEmpty();
	}

	private static RecurringSnapshot every(int seconds, @Nullable Instant until) {
		return snapshot("every-" + seconds, new Recurrence(null, null, Duration.ofSeconds(seconds), null, until));
	}

	private static RecurringSnapshot cron(String cron) {
		return snapshot(cron, new Recurrence(cron, ZoneId.of("UTC"), null, null, null));
	}

	private static RecurringSnapshot snapshot(String key, Recurrence recurrence) {
		return new RecurringSnapshot("q", key, null, recurrence, new Policies(MissedPolicy.LATEST, OverlapPolicy.ALLOW),
				new State(NOW, NOW, NOW.plusSeconds(1), new Marks(null, null, null), null, new Counts(0, 0)));
	}

}
