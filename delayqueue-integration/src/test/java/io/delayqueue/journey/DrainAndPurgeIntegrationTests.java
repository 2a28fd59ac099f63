package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.test.fault.CommandLog;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An operator drains and purges a queue that other processes consume. */
@Tag("slow")
class DrainAndPurgeIntegrationTests extends OperatedQueue {

	@Test
	void drainingQueueRejectsNewMessagesAndDeliversStoredOnes() {
		Worker worker = worker();
		worker.broken = true;
		Instant due = Instant.now().plusSeconds(1);
		for (int i = 0; i < 10; i++) {
			this.queue.schedule(ScheduleRequest.to(QUEUE).payload("x").id("id-" + i).dueAt(due));
		}
		QueueStatus draining = this.admin.drain(QUEUE);
		assertThat(draining.isDraining()).isTrue();
		assertThat(this.admin.drain(QUEUE)).isEqualTo(draining);

		assertThatExceptionOfType(QueueDrainingException.class).isThrownBy(() -> schedule(10, 11))
			.withMessageContaining("'id-10'")
			.withMessageContaining("reopen(\"whole\")")
			.satisfies((refusal) -> {
				assertThat(refusal.queue()).isEqualTo(QUEUE);
				assertThat(refusal.messageId()).isEqualTo("id-10");
				assertThat(refusal.since()).isAfterOrEqualTo(draining.drainingSince());
			});
		List<ScheduleAnswer> answers = this.queue
			.scheduleAll(List.of(request(11), ScheduleRequest.to("other").payload("x").delay(Duration.ofDays(1))));
		assertThat(answers.get(0).failure()).isInstanceOf(QueueDrainingException.class);
		assertThat(answers.get(1).isAccepted()).isTrue();
		assertThat(this.queue.find(QUEUE, "id-10")).isEmpty();

		worker.handled.await(15);
		worker.broken = false;
		awaitEmpty();
		assertThat(worker.handled.ids()).contains("id-0", "id-9").doesNotContain("id-10", "id-11");
		assertThat(this.admin.reopen(QUEUE)).isEqualTo(new QueueStatus(QUEUE, null, null, null));
		schedule(10, 12);
		awaitEmpty();
		assertThat(worker.handled.ids()).contains("id-10", "id-11");
	}

	@Test
	void purgeRemovesTenThousandMessagesInShortScriptsAndKeepsDeadLetters() {
		ConfigurableApplicationContext worker = this.applications.start(Worker.class);
		worker.getBean(Worker.class).broken = true;
		this.queue.schedule(request(20_000));
		Awaitility.await().until(() -> !this.admin.deadLetters(QUEUE, null, 10).deadLetters().isEmpty());
		worker.close();
		Instant due = Instant.now().plusSeconds(3600);
		List<ScheduleRequest> all = IntStream.range(0, 10_000)
			.mapToObj((i) -> ScheduleRequest.to(QUEUE).payload("x").id("id-" + i).dueAt(due.plusMillis(i)))
			.toList();
		assertThat(this.queue.scheduleAll(all)).allMatch(ScheduleAnswer::isAccepted);

		PurgeResult purged;
		try (CommandLog log = CommandLog.of(this.redis)) {
			purged = this.admin.purge(QUEUE);
			assertThat(log.count()).as("calls").isBetween(100L, 400L);
		}

		assertThat(purged).isEqualTo(new PurgeResult(QUEUE, 10_000, 0, 0));
		assertThat(this.admin.purge(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 0, 0));
		assertThat(this.admin.deadLetters(QUEUE, null, 10).deadLetters()).hasSize(1);
		assertThat(this.admin.purgeWithDeadLetters(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 0, 1));
		assertThat(this.admin.deadLetters(QUEUE, null, 10).deadLetters()).isEmpty();
		assertThat(held()).isZero();
		assertThat(this.queue.schedule(request(5)).outcome()).isEqualTo(Outcome.CREATED);
	}

	@Test
	void messageScheduledDuringAPurgeIsRemovedOrKeptCompletely() throws InterruptedException {
		AtomicBoolean enough = new AtomicBoolean();
		List<String> accepted = new ArrayList<>();
		DelayQueueOperations producer = this.applications.producer();
		Thread scheduling = new Thread(() -> {
			for (int i = 0; i < 500 || (i < 1500 && !enough.get()); i++) {
				Duration delay = Duration.ofSeconds((i % 2 == 0) ? 3600 : 7200).plusMillis(i % 100);
				accepted.add(producer.schedule(QUEUE, "x", delay).id());
			}
		});
		scheduling.start();
		Awaitility.await().until(() -> held() > 100);
		long purged = 0;
		for (int i = 0; i < 5; i++) {
			purged += this.admin.purge(QUEUE).total();
		}
		enough.set(true);
		scheduling.join();

		assertThat(purged).isPositive();
		long kept = held();
		assertThat(kept + purged).isEqualTo(accepted.size());
		assertThat(sum("ZCARD", "scheduled")).isEqualTo(kept);
		assertThat(this.admin.purge(QUEUE).total()).isEqualTo(kept);
		assertThat(held() + sum("ZCARD", "scheduled")).isZero();
	}

	@Test
	void handlerRunningDuringAPurgeMayFinishAndIsNotRetried() {
		Worker worker = worker();
		worker.broken = true;
		worker.go = new CountDownLatch(1);
		schedule(0, 3);
		worker.begun.acquireUninterruptibly(3);

		assertThat(this.admin.purge(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 0, 3, 0));
		worker.go.countDown();

		worker.handled.await(3);
		Awaitility.await().until(() -> sum("XLEN", "ready") == 0);
		assertThat(held() + sum("ZCARD", "scheduled") + sum("HLEN", "entries")).isZero();
		assertThat(worker.handled.runs()).hasSize(3);
	}

	@Test
	void unknownQueueIsRejected() {
		for (String name : List.of("whoel", "not a name", "")) {
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> this.admin.pause(name));
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> this.admin.status(name));
			assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> this.admin.purge(name));
		}
		assertThat(this.redis.call("EXISTS", this.applications.prefix() + ":{whoel:0}:control")).isEqualTo(0L);
	}

	@Test
	void aQueueThatThePropertiesNameIsOperatedBeforeItsFirstUse() {
		this.applications.with("delayqueue.queues.named.partitions=2").with("delayqueue.queues.grows.partitions=2");
		DelayQueueAdmin operator = this.applications.start(EmptyConfiguration.class).getBean(DelayQueueAdmin.class);
		assertThat(operator.pause("named").isPaused()).isTrue();
		assertThat(operator.repartition("grows", 3).partitions()).isEqualTo(3);
	}

	@Configuration(proxyBeanMethods = false)
	static class EmptyConfiguration {

	}

	/** The process of an operator need not have the configuration of the consumers. */
	@Test
	void purgeCoversEveryPartitionWithAnotherConfiguration() {
		schedule(0, 30);
		this.applications.without("delayqueue.queues.whole.partitions");
		DelayQueueAdmin other = this.applications.start().getBean(DelayQueueAdmin.class);
		other.pause(QUEUE);
		for (int number = 0; number < 3; number++) {
			assertThat(this.redis.call("HEXISTS", key(number, "control"), "paused")).isEqualTo(1L);
		}
		assertThat(other.purge(QUEUE).total()).isEqualTo(30);
	}

}
