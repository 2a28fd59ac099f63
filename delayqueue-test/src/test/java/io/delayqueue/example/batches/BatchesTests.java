package io.delayqueue.example.batches;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.example.batches.BatchListeners.Gateway;
import io.delayqueue.example.batches.BatchListeners.Gateway.GatewayAwayException;
import io.delayqueue.example.batches.BatchListeners.Gateway.Receipt;
import io.delayqueue.example.batches.BatchListeners.Mailer;
import io.delayqueue.example.batches.BatchListeners.Push;
import io.delayqueue.example.batches.BatchListeners.Table;
import io.delayqueue.example.batches.BatchListeners.Visit;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.RecordedDelivery;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.invocation.InvocationOnMock;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.verify;

/** Batches are formed, and fail, as described in the guide. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/batches.yml")
class BatchesTests {

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Table table;

	@MockitoBean
	private Mailer mailer;

	@MockitoBean
	private Gateway gateway;

	private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());

	private Instant due;

	@BeforeEach
	void due() {
		this.due = this.time.now().plusSeconds(60);
	}

	@Test
	void messagesAreStoredInBatches() {
		willAnswer((call) -> this.sizes.add(call.<List<Visit>>getArgument(0).size())).given(this.table)
			.insertAll(any());
		schedule("visits", null, new Visit("/"), 250);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(250);
		assertThat(this.sizes).hasSizeLessThan(20).allMatch((size) -> size <= 100);
	}

	@Test
	void aDigestContainsMessagesOfOneUser() {
		schedule("digest", "u-1", "hello", 3);
		schedule("digest", "u-2", "hello", 2);
		this.time.advance(Duration.ofMinutes(2));
		verify(this.mailer).send("u-1", List.of("hello", "hello", "hello"));
		verify(this.mailer).send("u-2", List.of("hello", "hello"));
	}

	@Test
	void aFailedMessageIsRetriedAloneAndTheOthersSucceed() {
		answer("push-1");
		schedule("push", null, new Push("d", "t"), 4);
		this.time.advance(Duration.ofMinutes(5));
		TestQueue push = this.queues.queue("push");
		assertThat(push).message("push-1").isDeadLetteredBecause("HANDLER_FAILED").wasDeliveredTimes(5);
		assertThat(push).message("push-0").wasHandled().wasDeliveredTimes(1);
		assertThat(push).message("push-3").wasHandled().wasDeliveredTimes(1);
	}

	@Test
	void afterAFailureOfTheBatchEachMessageIsRetriedAlone() {
		this.queues.queue("push").failNext(1);
		answer("none");
		schedule("push", null, new Push("d", "t"), 4);
		this.time.advance(Duration.ofMinutes(5));
		long again = this.queues.queue("push").deliveries().stream().filter((one) -> one.attempt() == 2).count();
		assertThat(again).isPositive();
		assertThat(this.sizes).filteredOn((size) -> size == 1).hasSizeGreaterThanOrEqualTo((int) again);
		assertThat(this.queues.queue("push")).hasNo("push-0").hasNo("push-1").hasNo("push-2").hasNo("push-3");
	}

	@Test
	void deferredMessagesAreDeliveredAgainAndHaveNotFailed() {
		willThrow(new GatewayAwayException()).willAnswer(this::all).given(this.gateway).push(any());
		schedule("push", null, new Push("d", "t"), 4);
		this.time.advance(Duration.ofMinutes(5));
		TestQueue push = this.queues.queue("push");
		assertThat(push.deliveries()).filteredOn((one) -> one.failure().isPresent())
			.isNotEmpty()
			.allMatch((one) -> one.failure().orElseThrow() instanceof DeferException);
		assertThat(push.deliveries()).filteredOn(RecordedDelivery::isHandled).hasSize(4);
		assertThat(this.sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(4);
	}

	@Test
	void permitsAreThoseOfTwoBatchesOrByGroupOfTen(@Autowired DelayedListenerRegistry registry) {
		assertThat(registry.container("visits").orElseThrow().concurrency()).isEqualTo(400);
		assertThat(registry.container("push").orElseThrow().concurrency()).isEqualTo(200);
		assertThat(registry.container("digest").orElseThrow().concurrency()).isEqualTo(500);
	}

	private void answer(String refused) {
		willAnswer((call) -> {
			List<DelayedMessage<Push>> pushes = call.getArgument(0);
			this.sizes.add(pushes.size());
			return pushes.stream()
				.map((push) -> new Receipt(push.id(), !push.id().equals(refused), "unknown device"))
				.toList();
		}).given(this.gateway).push(any());
	}

	private List<Receipt> all(InvocationOnMock call) {
		List<DelayedMessage<Push>> pushes = call.getArgument(0);
		this.sizes.add(pushes.size());
		return pushes.stream().map((push) -> new Receipt(push.id(), true, "")).toList();
	}

	private void schedule(String queue, @Nullable String group, Object payload, int count) {
		this.delayQueue.scheduleAll(IntStream.range(0, count).mapToObj((n) -> {
			ScheduleRequest request = ScheduleRequest.to(queue).payload(payload).dueAt(this.due);
			return (group != null) ? request.id(queue + "-" + group + "-" + n).group(group)
					: request.id(queue + "-" + n);
		}).toList());
	}

}
