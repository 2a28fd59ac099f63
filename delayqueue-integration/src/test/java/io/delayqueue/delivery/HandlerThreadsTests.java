package io.delayqueue.delivery;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.queue.Partition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;

class HandlerThreadsTests {

	@Test
	void aHandlerThatRunsAtTheEndIsInterrupted() throws Exception {
		isInterruptedAtTheEnd(HandlerThreads.platform());
	}

	@EnabledForJreRange(min = JRE.JAVA_21)
	@Test
	void aHandlerThatRunsAtTheEndOnAVirtualThreadIsInterrupted() throws Exception {
		isInterruptedAtTheEnd(HandlerThreads.virtual());
	}

	private static void isInterruptedAtTheEnd(HandlerThreads factory) throws Exception {
		Threads threads = factory.create(TestActors.settings(new Partition("orders", 0), 1, 3));
		CountDownLatch began = new CountDownLatch(1);
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		threads.executor().execute(() -> {
			began.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException end) {
				interrupted.complete(true);
			}
		});
		began.await();

		threads.close();

		assertThat(interrupted.get(1, TimeUnit.MINUTES)).isTrue();
	}

}
