package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackgroundLoopTests {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final Semaphore runs = new Semaphore(0);

	private final BackgroundLoop loop = new BackgroundLoop("test", () -> {
		this.runs.release();
		return Long.MAX_VALUE / 2;
	});

	@Test
	void loopIsAliveAfterStart() throws Exception {
		assertThat(this.loop.status().alive()).isFalse();
		this.loop.start();
		this.runs.acquire();

		assertThat(this.loop.status().alive()).isTrue();
		this.loop.stop(LONG_ENOUGH);
	}

	@Test
	void stoppedLoopIsNotReportedAsDead() {
		this.loop.start();

		assertThat(this.loop.stop(LONG_ENOUGH)).isTrue();
		assertThat(this.loop.status().alive()).isTrue();
	}

}
