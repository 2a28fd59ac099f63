package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.delayqueue.engine.RecurringQueue.QUEUE;
import static io.delayqueue.engine.RecurringQueue.create;
import static io.delayqueue.engine.RecurringQueue.daily;
import static io.delayqueue.engine.RecurringQueue.everySecond;
import static io.delayqueue.engine.RecurringQueue.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Instants of recurring schedules at which nothing was delivered, whatever the reason.
 */
class MissedInstantsIntegrationTests {

	@RegisterExtension
	final RecurringQueue queue = new RecurringQueue();

	@Test
	void instantsDuringAPauseOfTheQueueAreMissed() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		engine.admin().pause(QUEUE);
		createEachPolicy(engine);
		Instant resumed = awaitInstants(3);

		engine.admin().resume(QUEUE);

		assertEachPolicy(engine, resumed);
	}

	@Tag("slow")
	@Test
	void instantsDuringAHoldOfTheGroupAreMissed() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		engine.admin().hold(QUEUE, "g", Duration.ofHours(1), "test");
		createEachPolicy(engine);
		create(engine, everySecond("other").group("not held"));
		await().until(() -> this.queue.handledOf("other").size() >= 3);
		Instant released = Instant.ofEpochMilli(System.currentTimeMillis());

		engine.admin().release(QUEUE, "g");

		assertEachPolicy(engine, released);
	}

	@Tag("slow")
	@Test
	void instantsWithoutAnyConsumerAreMissed() {
		DelayQueueEngine producer = this.queue.engine(1);
		createEachPolicy(producer);
		Instant consumed = awaitInstants(3);

		this.queue.consume(this.queue.engine(1), 1);

		assertEachPolicy(producer, consumed);
	}

	@ParameterizedTest
	@EnumSource
	void anOccurrenceIsMissedIfItsInstantIsMoreThanAMinuteAgo(MissedPolicy policy) {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("a").missed(policy));
		Instant next = get(engine, "a").next().orElseThrow();
		Instant missed = Instant.ofEpochMilli(System.currentTimeMillis() - 95_000);
		this.queue.dueAt("a", missed);

		this.queue.consume(engine, 1);

		await().until(() -> this.queue.missed("a") == 1);
		assertThat(get(engine, "a").next()).contains(next);
		if (policy != MissedPolicy.NONE) {
			await().until(() -> this.queue.handledOf("a").equals(List.of(missed)));
		}
		assertThat(this.queue.handledOf("a")).hasSize((policy == MissedPolicy.NONE) ? 0 : 1);
	}

	@Test
	void aReplacementWithTheSameIntervalKeepsItsInstants() {
		DelayQueueEngine engine = this.queue.engine(2);
		RecurringSchedule hourly = RecurringSchedule.to(QUEUE, "a").payload("p").every(Duration.ofHours(1));
		create(engine, hourly);
		Instant next = get(engine, "a").next().orElseThrow();

		Stream
			.of(hourly.payload("q"), hourly.header("h", "v"), hourly.missed(MissedPolicy.ALL), hourly.group("g"),
					hourly.group("h"))
			.forEach((changed) -> {
				assertThat(create(engine, changed)).isIn(RecurringResult.CREATED, RecurringResult.REPLACED);
				assertThat(get(engine, "a").upcoming(2)).containsExactly(next, next.plusSeconds(3600));
			});
		assertThat(create(engine, hourly.group("h"))).isEqualTo(RecurringResult.UNCHANGED);

		create(engine, hourly.every(Duration.ofMinutes(30)));
		Instant restarted = get(engine, "a").next().orElseThrow();
		assertThat(restarted).isAfter(next.minusSeconds(1800));
		create(engine, hourly.every(Duration.ofMinutes(30)).from(next.plusSeconds(1)));
		assertThat(get(engine, "a").next()).contains(next.plusSeconds(1));
	}

	@Tag("slow")
	@Test
	void aDeclarationWithAnotherPayloadKeepsTheInstants() {
		RecurringSchedule hourly = RecurringSchedule.to(QUEUE, "a").payload("p").every(Duration.ofHours(1));
		DelayQueueEngine before = declaring(hourly);
		await().until(() -> before.recurring().get(QUEUE, "a").isPresent());
		Instant stored = get(before, "a").state().storedAt();
		Instant next = get(before, "a").next().orElseThrow();
		this.queue.engines().stop();

		DelayQueueEngine after = declaring(hourly.payload("q"));

		await().until(() -> get(after, "a").state().storedAt().isAfter(stored));
		assertThat(get(after, "a").next()).contains(next);
	}

	private DelayQueueEngine declaring(RecurringSchedule schedule) {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		engine.declaredSchedules().declare("app", () -> List.of(schedule));
		return engine;
	}

	private static void createEachPolicy(DelayQueueEngine engine) {
		for (MissedPolicy policy : MissedPolicy.values()) {
			create(engine, everySecond(policy.name()).group("g").missed(policy));
		}
	}

	/** Waits until each schedule has had some instants; returns the time. */
	private static Instant awaitInstants(int count) {
		Instant end = Instant.ofEpochMilli(System.currentTimeMillis()).plusSeconds(count);
		await().until(() -> System.currentTimeMillis() > end.toEpochMilli());
		return end;
	}

	/** Checks which instants before a time were delivered after this time. */
	private void assertEachPolicy(DelayQueueEngine engine, Instant delivered) {
		await().until(() -> Stream.of(MissedPolicy.values())
			.allMatch((policy) -> this.queue.handledOf(policy.name())
				.stream()
				.anyMatch((instant) -> instant.isAfter(delivered))));
		assertThat(before("ALL", delivered)).hasSizeGreaterThanOrEqualTo(2);
		assertThat(before("LATEST", delivered)).hasSizeLessThanOrEqualTo(1);
		assertThat(before("NONE", delivered)).hasSizeLessThanOrEqualTo(1);
		assertThat(this.queue.handled()).doesNotHaveDuplicates();
		assertThat(this.queue.missed("LATEST")).isPositive();
		assertThat(get(engine, "NONE").state().counts().missed()).isPositive();
	}

	private List<Instant> before(String key, Instant delivered) {
		return this.queue.handledOf(key).stream().filter((instant) -> instant.isBefore(delivered)).toList();
	}

}
