package io.delayqueue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.ScheduleResult.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScheduleResultTests {

	@ParameterizedTest
	@EnumSource
	void outcomesThatStoreTheMessageAreAccepted(Outcome outcome) {
		boolean stored = outcome == Outcome.CREATED || outcome == Outcome.REPLACED || outcome == Outcome.POSTPONED;
		ScheduleResult result = new ScheduleResult("orders", "o-1", outcome, null);
		assertThat(result.isAccepted()).isEqualTo(stored);
		assertThat(new ScheduleAnswer("o-1", result, null).isAccepted()).isEqualTo(stored);
	}

	@Test
	void droppedIdsAreEmptyByDefault() {
		assertThat(new ScheduleResult("orders", "o-1", Outcome.CREATED, Instant.EPOCH).dropped()).isEmpty();
	}

	@Test
	void droppedIdsAreCopied() {
		List<String> dropped = new ArrayList<>(List.of("o-0"));
		ScheduleResult result = new ScheduleResult("orders", "o-1", Outcome.CREATED, Instant.EPOCH, dropped);
		dropped.clear();
		assertThat(result.dropped()).containsExactly("o-0");
	}

}
