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

		assertThat(this.track.status(true)).isEqualTo(new LoopStatus("read", true, 0, Duration.ZERO, null));
	}

	@Test
	void failingTimeCountsFromFirstFailureInRow() {
		IllegalStateException last = new IllegalStateException("last");
		this.track.failed(new IllegalStateException("first"));
		Duration sinceFirst = this.track.status(true).failingFor();
		await().until(() -> this.track.status(true).failingFor().compareTo(sinceFirst.plusMillis(20)) > 0);
		this.track.failed(last);

		LoopStatus status = this.track.status(true);
		assertThat(status.failures()).isEqualTo(2);
		assertThat(status.lastFailure()).isSameAs(last);
		assertThat(status.failingFor()).isGreaterThan(sinceFirst.plusMillis(20));
	}

	@Test
	void successfulRunResetsFailures() {
		this.track.failed(new IllegalStateException());
		this.track.succeeded();

		assertThat(this.track.status(true).failures()).isZero();
		assertThat(this.track.status(true).failingFor()).isZero();
		this.track.failed(new IllegalStateException());
		assertThat(this.track.status(true).failures()).isEqualTo(1);
	}

}
