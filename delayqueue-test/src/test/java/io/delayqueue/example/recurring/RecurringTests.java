package io.delayqueue.example.recurring;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.RecordedDelivery;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** Recurring schedules work as described in the document. */
@DelayQueueTest(properties = "spring.application.name=shop")
@Import(Reminders.class)
class RecurringTests {

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	@Autowired
	private RecurringOperations recurring;

	@Autowired
	private Digests digests;

	@Autowired
	private Reminders reminders;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@Tag("slow")
	@Test
	void aYearOfMorningsHasADigestEach() {
		this.digests.sent.clear();
		Instant end = this.time.now().atZone(BERLIN).plusYears(1).toInstant();

		this.time.advanceTo(end);

		List<Instant> mornings = instants("digests", "daily");
		assertThat(mornings).hasSizeBetween(365, 366).doesNotHaveDuplicates().isSorted();
		assertThat(mornings)
			.allSatisfy((instant) -> assertThat(instant.atZone(BERLIN).toLocalTime()).isEqualTo(LocalTime.of(9, 0)));
		Set<Object> hours = mornings.stream()
			.map((instant) -> instant.atZone(ZoneId.of("UTC")).getHour())
			.collect(Collectors.toSet());
		assertThat(hours).containsExactlyInAnyOrder(7, 8);
		assertThat(this.digests.sent).hasSameSizeAs(mornings).containsOnly("all");
		RecurringSnapshot daily = this.recurring.get("digests", "daily").orElseThrow();
		assertThat(daily.application()).contains("shop");
		assertThat(daily.state().counts().missed()).isZero();
	}

	@Test
	void customersHaveTheirOwnMornings() {
		this.reminders.remindEachMorning("alice", ZoneId.of("America/New_York"));
		assertThat(this.recurring.get("reminders", "alice").orElseThrow().upcoming(2)).hasSize(2)
			.allSatisfy((instant) -> assertThat(instant.atZone(ZoneId.of("America/New_York")).getHour()).isEqualTo(9));
	}

	@Test
	void anOrderIsAskedUntilItAnswers() {
		this.reminders.askUntilItAnswers("o-1");
		this.time.advance(Duration.ofMinutes(16));
		assertThat(instants("reminders", "ask-o-1")).hasSize(3);

		this.reminders.answered("o-1");
		this.time.advance(Duration.ofHours(1));
		assertThat(instants("reminders", "ask-o-1")).hasSize(3);
		assertThat(this.recurring.get("reminders", "ask-o-1")).isEmpty();
	}

	private List<Instant> instants(String queue, String key) {
		return this.queues.queue(queue)
			.deliveries()
			.stream()
			.map(RecordedDelivery::id)
			.filter((id) -> id.startsWith(key + "@"))
			.map((id) -> Instant.parse(id.substring(key.length() + 1)))
			.toList();
	}

}
