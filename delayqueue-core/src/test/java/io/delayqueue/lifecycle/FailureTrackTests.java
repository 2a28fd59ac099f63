package io.delayqueue.lifecycle;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class FailureTrackTests {

	private final FailureTrack track = new FailureTrack("read");

	@Test
	void activityWithoutFailureHasNoFailingTime() {
		this.track.succeeded();

		assertThat(this.track.status()).isEqualTo(new TaskStatus("read", 0, Duration.ZERO, null));
	}

	@Test
	void failingTimeCountsFromFirstFailureInRow() {
		IllegalStateException last = new IllegalStateException("last");
		this.track.failed(new IllegalStateException("first"));
		Duration sinceFirst = this.track.status().failingFor();
		await().until(() -> this.track.status().failingFor().compareTo(sinceFirst.plusMillis(20)) > 0);
		this.track.failed(last);

		TaskStatus status = this.track.status();
		assertThat(status.failures()).isEqualTo(2);
		assertThat(status.lastFailure()).isSameAs(last);
		assertThat(status.failingFor()).isGreaterThan(sinceFirst.plusMillis(20));
	}

	@Test
	void successfulRunResetsFailures() {
		this.track.failed(new IllegalStateException());
		this.track.succeeded();

		assertThat(this.track.status().failures()).isZero();
		assertThat(this.track.status().failingFor()).isZero();
		this.track.failed(new IllegalStateException());
		assertThat(this.track.status().failures()).isEqualTo(1);
	}

}
