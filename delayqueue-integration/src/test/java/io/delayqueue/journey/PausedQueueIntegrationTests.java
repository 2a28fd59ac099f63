package io.delayqueue.journey;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.fault.CommandLog;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator pauses a queue that other processes consume.
 */
@Tag("slow")
class PausedQueueIntegrationTests extends OperatedQueue {

	@Configuration(proxyBeanMethods = false)
	@Import(Worker.class)
	static class Narrow {

		@Bean
		ExecutorService single() {
			return Executors.newSingleThreadExecutor();
		}

	}

	@Test
	void pauseStopsAllProcessesAndResumeDeliversEverythingOnce() {
		Worker one = worker();
		Worker other = worker();
		schedule(0, 60);
		awaitHandled(60, one, other);

		Instant before = Instant.now();
		QueueStatus paused = this.admin.pause(QUEUE);
		assertThat(paused.pausedSince()).isBetween(before.minusMillis(1), Instant.now());
		schedule(60, 600);
		awaitChecks();

		assertThat(count(one, other)).as("handled while paused").isEqualTo(60);
		assertThat(this.admin.pause(QUEUE)).isEqualTo(paused);
		assertThat(this.admin.status(QUEUE)).isEqualTo(paused);
		this.admin.resume(QUEUE);

		awaitHandled(600, one, other);
		awaitEmpty();
		assertThat(runs(one, other)).extracting(Handled.Run::id).hasSize(600).doesNotHaveDuplicates();
		assertThat(runs(one, other)).extracting(Handled.Run::attempt).containsOnly(1);
		assertThat(List.of(one, other)).as("both work")
			.allSatisfy((worker) -> assertThat(worker.handled.runs()).isNotEmpty());
		assertThat(this.admin.status(QUEUE)).isEqualTo(new QueueStatus(QUEUE, null, null, null));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void pauseIsNoticedWithoutHints(boolean sweeps) {
		this.redis.call("ACL", "SETUSER", "default", "-publish");
		Worker one = worker();
		Worker other = workerThatSweeps(sweeps);
		schedule(0, 10);
		awaitHandled(10, one, other);

		this.admin.pause(QUEUE);
		schedule(10, 50);
		awaitChecks();
		assertThat(count(one, other)).isEqualTo(10);
		this.admin.resume(QUEUE);

		awaitHandled(50, one, other);
		awaitEmpty();
		assertThat(runs(one, other)).extracting(Handled.Run::id).hasSize(50).doesNotHaveDuplicates();
	}

	/** Without sweeps, only a read reports the pause. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void readyMessagesAreNotHandledAndNotCountedAsCrashedDuringAPause(boolean sweeps) {
		ConfigurableApplicationContext sweeper = this.applications.start(Worker.class);
		sweeper.getBean(DelayedListenerRegistry.class).container(QUEUE).orElseThrow().pause();
		Worker busy = workerThatSweeps(sweeps);
		busy.go = new CountDownLatch(1);
		schedule(0, 200);
		busy.begun.acquireUninterruptibly(6);
		Awaitility.await().until(() -> sum("XLEN", "ready") == 200);
		this.admin.pause(QUEUE);

		busy.go.countDown();

		Awaitility.await().until(() -> busy.handled.runs().size() >= 6);
		awaitChecks();
		assertThat(busy.handled.runs()).hasSize(6);
		this.admin.resume(QUEUE);
		awaitHandled(200, busy);
		awaitEmpty();
		assertThat(busy.handled.runs()).extracting(Handled.Run::attempt).containsOnly(1);
		assertThat(busy.handled.ids()).hasSize(200).doesNotHaveDuplicates();
	}

	/** A single thread for handlers: the other messages were read and wait for it. */
	@Test
	void unstartedMessagesDoNotStartDuringAPause() {
		Worker narrow = this.applications.with("executor=single").start(Narrow.class).getBean(Worker.class);
		narrow.go = new CountDownLatch(1);
		schedule(0, 6);
		narrow.begun.acquireUninterruptibly();
		Awaitility.await().until(() -> pending() == 6);
		this.admin.pause(QUEUE);
		awaitChecks();

		narrow.go.countDown();

		Awaitility.await().until(() -> pending() == 0);
		awaitChecks();
		assertThat(narrow.handled.runs()).hasSize(1);
		this.admin.resume(QUEUE);
		awaitHandled(6, narrow);
		awaitEmpty();
		assertThat(narrow.handled.runs()).extracting(Handled.Run::attempt).containsOnly(1);
	}

	@Test
	void pauseOutlastsTheProcesses() {
		ConfigurableApplicationContext first = this.applications.start(Worker.class);
		String queues = this.applications.prefix() + ":queues";
		Awaitility.await().until(() -> this.redis.call("HEXISTS", queues, QUEUE).equals(1L));
		Instant since = this.admin.pause(QUEUE).pausedSince();
		first.close();
		schedule(0, 20);
		Worker second = worker();
		awaitChecks();

		assertThat(second.handled.runs()).isEmpty();
		assertThat(second().status(QUEUE).pausedSince()).isEqualTo(since);
		second().resume(QUEUE);

		awaitHandled(20, second);
	}

	private Worker workerThatSweeps(boolean sweeps) {
		this.applications.with("delayqueue.sweeper.enabled=" + sweeps);
		return worker();
	}

	/** The admin API of another process. */
	private DelayQueueAdmin second() {
		return this.applications.start().getBean(DelayQueueAdmin.class);
	}

	/** Waits until sweepers and readers have checked several times. */
	private void awaitChecks() {
		try (CommandLog log = CommandLog.of(this.redis)) {
			for (int number = 0; number < 3; number++) {
				String partition = "{" + QUEUE + ":" + number + "}";
				Awaitility.await()
					.until(() -> log.commands()
						.stream()
						.filter((one) -> one.toString().contains(partition))
						.count() > 15);
			}
		}
	}

	private void awaitHandled(int count, Worker... workers) {
		Awaitility.await().until(() -> count(workers) >= count);
	}

	private static int count(Worker... workers) {
		return runs(workers).size();
	}

	private static List<Handled.Run> runs(Worker... workers) {
		return List.of(workers).stream().map((worker) -> worker.handled.runs()).flatMap(Collection::stream).toList();
	}

	private long pending() {
		return IntStream.range(0, 3)
			.mapToLong((
					number) -> (Long) ((List<?>) this.redis.call("XPENDING", key(number, "ready"), "consumers")).get(0))
			.sum();
	}

}
