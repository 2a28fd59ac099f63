package io.delayqueue.test;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.example.shop.Mailer;
import io.delayqueue.example.shop.ShopApplication;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;

/** The messages of failed assertions. */
@SpringBootTest(classes = ShopApplication.class)
@AutoConfigureDelayQueueTest
class AssertionsIntegrationTests {

	@Autowired
	private DelayQueueOperations operations;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@Autowired
	private DueWork work;

	@MockitoBean
	private Mailer mailer;

	@Test
	void failedAssertionsDescribeTheProblem() {
		schedule("o-1", Duration.ofMinutes(15));
		TestQueue orders = this.queues.queue("orders");
		fails(() -> assertThat(orders).hasScheduled("o-2"), "message 'o-2' of queue 'orders'", "never delivered");
		fails(() -> assertThat(orders).hasScheduled("o-1").dueIn(Duration.ofMinutes(14)), "due in 14m");
		fails(() -> assertThat(orders).hasScheduled("o-1").dueIn(Duration.ofMinutes(16)), "due in 16m");
		fails(() -> assertThat(orders).message("o-1").wasHandled(), "SCHEDULED");
		fails(() -> assertThat(orders).message("o-1").isDeadLetteredBecause("CRASHED"), "SCHEDULED");
		fails(() -> assertThat(orders).hasNo("o-1"), "SCHEDULED");
		fails(() -> assertThat(orders).hasDelivered("o-1"), "deliveries of [o-1]", "[]");
		fails(() -> assertThat(this.queues.queue("order")).hasDelivered("o-1"), "'order'", "has no listener",
				"the queues with one are [", "orders");
		assertThatIllegalArgumentException().isThrownBy(() -> this.time.advance(Duration.ofSeconds(-1)))
			.withMessageContaining("-1s");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.failNext(0)).withMessageContaining("0");
	}

	@Test
	void messagesThatAreNotHandledInTimeAreListed() {
		CountDownLatch end = new CountDownLatch(1);
		willAnswer((call) -> {
			end.await();
			return null;
		}).given(this.mailer).send(any());
		schedule("o-1", Duration.ZERO);
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.work.await(Duration.ofMillis(50)))
			.withMessageMatching("Not handled within .* s: queue 'orders': 'o-1' is (SCHEDULED|READY|PENDING)");
		end.countDown();
		this.time.advance(Duration.ZERO);
		assertThat(this.queues.queue("orders")).message("o-1").wasHandled();
	}

	@Test
	void advancingDoesNotWaitForPausedQueues() {
		this.admin.pause("orders");
		schedule("o-1", Duration.ofMinutes(1));
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.queues.queue("orders")).message("o-1").isIn(MessageState.SCHEDULED).wasNotDelivered();
		this.admin.resume("orders");
		this.time.advance(Duration.ZERO);
		assertThat(this.queues.queue("orders")).message("o-1").wasHandled();
		this.admin.pause("orders");
	}

	@Test
	void listenersThatTheLastTestHasPausedRun(@Autowired DelayedListenerRegistry listeners,
			@Autowired FreshStart start) {
		listeners.containers().forEach(DelayedListenerContainer::pause);

		start.begin();

		assertThat(listeners.containers()).isNotEmpty().noneMatch(DelayedListenerContainer::isPaused);
	}

	@Test
	void listenersThatWerePausedBeforeTheFirstTestStayPaused(@Autowired DelayedListenerRegistry listeners,
			@Autowired OwnKeys keys, @Autowired Deliveries deliveries, @Autowired TimeShift shift,
			@Autowired DueWork work) {
		listeners.containers().forEach(DelayedListenerContainer::pause);
		FreshStart start = new FreshStart(keys, listeners, deliveries, shift, work);
		start.begin();

		start.begin();

		assertThat(listeners.containers()).isNotEmpty().allMatch(DelayedListenerContainer::isPaused);
		listeners.containers().forEach(DelayedListenerContainer::resume);

		start.begin();

		assertThat(listeners.containers()).allMatch(DelayedListenerContainer::isPaused);
	}

	private void schedule(String id, Duration delay) {
		this.operations.schedule(ScheduleRequest.to("orders").id(id).payload(id).delay(delay));
	}

	private static void fails(Runnable assertion, String... texts) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion::run).satisfies((failure) -> {
			assertThat(failure).message().contains(texts);
		});
	}

}
