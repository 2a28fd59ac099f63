package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PermitsTests {

	private final AtomicInteger freed = new AtomicInteger();

	private final Permits permits = new Permits(3, this.freed::incrementAndGet);

	@Test
	void permitsAreLimited() {
		assertThat(this.permits.take(2)).isEqualTo(2);
		assertThat(this.permits.take(2)).isEqualTo(1);
		assertThat(this.permits.take(1)).isZero();
		this.permits.giveBack(1);
		assertThat(this.freed).hasValue(1);
		assertThat(this.permits.take(2)).isEqualTo(1);
		assertThat(this.permits.taken()).isEqualTo(3);
	}

	@Test
	void messageThatLeavesItsPermitFreesItAndStaysInFlight() {
		this.permits.take(3);

		this.permits.leave(2);

		assertThat(this.freed).as("a permit is free").hasValue(1);
		assertThat(this.permits.taken()).isEqualTo(3);
		assertThat(this.permits.take(3)).isEqualTo(2);
		assertThat(this.permits.taken()).isEqualTo(5);
	}

	@Test
	void atMostAsManyMessagesLeaveEarlyAsThereArePermits() {
		for (int i = 0; i < 3; i++) {
			this.permits.take(1);
			assertThat(this.permits.leaveEarly()).isTrue();
		}
		this.permits.take(1);

		assertThat(this.permits.leaveEarly()).isFalse();

		assertThat(this.permits.taken()).isEqualTo(4);
		this.permits.ended(1);
		assertThat(this.permits.leaveEarly()).isTrue();
		assertThat(this.permits.taken()).isEqualTo(3);
	}

	@Test
	void allAreBackOnlyWhenMessagesWithoutPermitHaveEndedToo() throws Exception {
		this.permits.take(2);
		this.permits.leave(1);
		this.permits.giveBack(1);
		assertThat(this.permits.awaitAllBack(Duration.ZERO)).isFalse();

		CountDownLatch waiting = new CountDownLatch(1);
		AtomicBoolean all = new AtomicBoolean();
		Thread waiter = new Thread(() -> {
			waiting.countDown();
			all.set(this.permits.awaitAllBack(Duration.ofSeconds(60)));
		});
		waiter.start();
		waiting.await();
		this.permits.ended(1);
		waiter.join(Duration.ofMinutes(2).toMillis());

		assertThat(waiter.isAlive()).isFalse();
		assertThat(all).isTrue();
		assertThat(this.permits.take(3)).isEqualTo(3);
	}

}
