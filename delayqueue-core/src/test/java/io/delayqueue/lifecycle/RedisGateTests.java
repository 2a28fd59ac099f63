package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RedisGateTests {

	private final AtomicBoolean answers = new AtomicBoolean();

	private final TaskPool tasks = new TaskPool();

	private final RedisGate gate = new RedisGate(this.tasks, this.answers::get);

	@AfterEach
	void closeGate() {
		this.gate.close();
		this.tasks.close();
	}

	@Test
	void outageTimeCountsFromFirstReport() {
		assertThat(this.gate.closedFor()).isZero();
		this.gate.lost(new IllegalStateException("unreachable"));
		await().until(() -> this.gate.closedFor().compareTo(Duration.ofMillis(20)) > 0);
		this.gate.lost(new IllegalStateException("unreachable"));

		assertThat(this.gate.closedFor()).isGreaterThan(Duration.ofMillis(20));
	}

	@Test
	void whenRedisAnswersAgainActorsAreWokenAndOutageTimeIsReset() throws Exception {
		Semaphore woken = new Semaphore(0);
		this.gate.onOpen(woken::release);
		this.gate.lost(new IllegalStateException("unreachable"));
		this.answers.set(true);

		woken.acquire();
		assertThat(this.gate.isOpen()).isTrue();
		assertThat(this.gate.closedFor()).isZero();
	}

	@Test
	void openTimeRestartsAfterEachLoss() {
		await().until(() -> this.gate.openFor().compareTo(Duration.ofMillis(500)) > 0);
		this.gate.lost(new IllegalStateException("unreachable"));
		assertThat(this.gate.openFor()).isZero();
		long found = System.nanoTime();
		this.answers.set(true);
		await().until(this.gate::isOpen);

		assertThat(this.gate.openFor()).isLessThanOrEqualTo(Duration.ofNanos(System.nanoTime() - found));
	}

	@Test
	void waitingThreadContinuesWhenRedisAnswersAgain() throws Exception {
		assertThat(this.gate.await(0)).isTrue();
		this.gate.lost(new IllegalStateException("unreachable"));
		assertThat(this.gate.await(1)).isFalse();
		FutureTask<Boolean> waiting = new FutureTask<>(() -> this.gate.await(Long.MAX_VALUE));
		new Thread(waiting).start();
		this.answers.set(true);

		assertThat(waiting.get()).isTrue();
	}

	@Test
	void interruptedThreadDoesNotWait() {
		this.gate.lost(new IllegalStateException("unreachable"));
		Thread.currentThread().interrupt();

		assertThat(this.gate.await(Long.MAX_VALUE)).isFalse();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void gateDoesNotProbeAfterClose() {
		this.gate.close();
		this.gate.lost(new IllegalStateException("late"));

		assertThat(this.gate.isOpen()).isTrue();
	}

	@Test
	void gateWithoutProbeStaysOpen() {
		RedisGate open = new RedisGate(this.tasks, null);
		open.lost(new IllegalStateException("unreachable"));

		assertThat(open.isOpen()).isTrue();
		assertThat(open.closedFor()).isZero();
	}

}
