package io.delayqueue.example.scheduling;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.GroupCancelResult;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.MessageState;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.example.scheduling.Listeners.Behaviour;
import io.delayqueue.example.scheduling.Listeners.Partner;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** Groups, batches and expiry are as the document says. */
@DelayQueueTest(properties = { "spring.config.location=classpath:guides/scheduling.yml",
		"delayqueue.queues.report.group.max-active=128" })
@Import({ Groups.class, Pushes.class })
class SchedulingTests {

	@Autowired
	private Groups groups;

	@Autowired
	private Pushes pushes;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Partner partner;

	@Test
	void atMostThreeMessagesOfAUserWaitAtOnce() {
		this.groups.schedule("e-1", "o-1", "u-1");
		this.groups.schedule("e-2", "o-2", "u-1");
		this.groups.schedule("e-3", "o-3", "u-1");
		assertThat(this.queues.queue("order-timeout")).hasScheduled("o-1").dueIn(Duration.ofMinutes(15));
		assertThatExceptionOfType(QuotaExceededException.class)
			.isThrownBy(() -> this.groups.schedule("e-4", "o-4", "u-1"));
		assertThat(this.groups.schedule("e-5", "o-5", "u-2").isAccepted()).isTrue();
		assertThat(this.groups.count("u-1")).isEqualTo(3);
	}

	@Test
	void aGroupIsListedByDueTimePageByPage() {
		this.groups.schedule("e-1", "o-1", "u-1");
		this.groups.schedule("e-2", "o-2", "u-1");
		this.groups.schedule("e-3", "o-3", "u-1");
		this.delayQueue.reschedule("order-timeout", "o-1", Duration.ofMinutes(30));
		GroupPage all = this.groups.list("u-1");
		assertThat(all.messages()).extracting(GroupMessage::id).containsExactly("o-2", "o-3", "o-1");
		assertThat(all.next()).isEmpty();
		GroupPage two = this.delayQueue.listGroup("order-timeout", "u-1", null, 2);
		assertThat(two.messages()).extracting(GroupMessage::id).containsExactly("o-2", "o-3");
		GroupPage rest = this.delayQueue.listGroup("order-timeout", "u-1", two.next().orElseThrow(), 2);
		assertThat(rest.messages()).extracting(GroupMessage::id).containsExactly("o-1");
	}

	@Test
	void cancellingAGroupTellsHowManyAHandlerHas() {
		AtomicReference<GroupCancelResult> result = new AtomicReference<>();
		willAnswer((call) -> {
			result.set(this.groups.cancel("u-1"));
			return null;
		}).given(this.partner).close("e-1");
		this.groups.schedule("e-1", "o-1", "u-1");
		this.groups.schedule("e-2", "o-2", "u-1");
		this.groups.schedule("e-3", "o-3", "u-1");
		this.delayQueue.reschedule("order-timeout", "o-1", Duration.ofMinutes(1));
		this.time.advance(Duration.ofMinutes(1));
		assertThat(result).hasValue(new GroupCancelResult(2, 1));
		assertThat(this.groups.count("u-1")).isZero();
	}

	@Test
	void weightMultipliesTheShareOfAGroup() {
		CountDownLatch seen = new CountDownLatch(1);
		AtomicBoolean looks = new AtomicBoolean();
		willAnswer((call) -> {
			if (looks.compareAndSet(false, true)) {
				// While all handlers wait, the shares fill up
				await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
					assertThat(active("big")).isEqualTo(512);
					assertThat(active("small")).isEqualTo(128);
				});
				seen.countDown();
			}
			assertThat(seen.await(8, TimeUnit.SECONDS)).isTrue();
			return null;
		}).given(this.partner).tell(any());
		schedule("big", 600);
		schedule("small", 200);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.queues.queue("report").deliveries()).hasSize(800).allMatch((delivery) -> delivery.isHandled());
	}

	@Test
	void hotGroupHasHandlersOfItsOwnForFourBatchesBesideTheTenOfTheOthers() {
		CountDownLatch fourHot = new CountDownLatch(4);
		CountDownLatch tenOthers = new CountDownLatch(10);
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		willAnswer((call) -> {
			List<Behaviour> behaviours = call.getArgument(0);
			if (behaviours.get(0).game().equals("hot")) {
				most.accumulateAndGet(running.incrementAndGet(), Math::max);
				fourHot.countDown();
				assertThat(fourHot.await(5, TimeUnit.SECONDS)).isTrue();
				assertThat(tenOthers.await(5, TimeUnit.SECONDS)).isTrue();
				running.decrementAndGet();
			}
			else {
				tenOthers.countDown();
				assertThat(fourHot.await(5, TimeUnit.SECONDS)).isTrue();
				// They hold all shared handlers until all of them are there
				assertThat(tenOthers.await(5, TimeUnit.SECONDS)).isTrue();
			}
			return null;
		}).given(this.partner).tell(any());
		schedule("hot", 1500);
		for (int n = 0; n < 10; n++) {
			schedule("other-" + n, 1);
		}
		this.time.advance(Duration.ofMinutes(2));
		assertThat(most).hasValue(4);
		assertThat(this.queues.queue("report").deliveries()).hasSize(1510).allMatch((delivery) -> delivery.isHandled());
	}

	@Test
	void pushIsSentFromNineToTen() {
		Instant nine = this.time.now().plus(Duration.ofHours(1));
		this.pushes.schedule("good morning", nine, nine.plus(Duration.ofHours(1)));
		this.time.advance(Duration.ofMinutes(59));
		verify(this.partner, never()).push(any());
		this.time.advanceTo(nine);
		verify(this.partner).push("good morning");
	}

	@Test
	void pushThatHasNotBegunAtTenDoesNotBegin() {
		Instant nine = this.time.now().plus(Duration.ofHours(1));
		Instant ten = nine.plus(Duration.ofHours(1));
		String late = this.pushes.schedule("good morning", nine, ten).id();
		this.delayQueue.schedule(ScheduleRequest.to("push")
			.id("p-2")
			.payload("hello")
			.dueAt(ten.minusSeconds(300))
			.expireAfter(Duration.ofMinutes(3)));
		pauseUntil("push", ten);
		TestQueue push = this.queues.queue("push");
		assertThat(push).message(late).isDeadLetteredBecause("EXPIRED");
		assertThat(push).message("p-2").isDeadLetteredBecause("EXPIRED");
		assertThat(push).hasDeliveredNothing();
	}

	@Test
	void reportThatIsThreeMinutesLateIsDropped() {
		Instant now = this.time.now();
		this.delayQueue.schedule(report("g", 1, now.plusSeconds(60)));
		this.delayQueue.schedule(report("g", 2, now.plusSeconds(180)));
		pauseUntil("report", now.plusSeconds(300));
		assertThat(this.queues.queue("report")).hasNo("g-1").hasDelivered("g-2");
	}

	private void schedule(String game, int count) {
		Instant due = this.time.now().plusSeconds(60);
		this.delayQueue.scheduleAll(IntStream.range(0, count).mapToObj((n) -> report(game, n, due)).toList());
	}

	private long active(String game) {
		return this.delayQueue.listGroup("report", game, null, 1000)
			.messages()
			.stream()
			.filter((message) -> message.state() == MessageState.READY || message.state() == MessageState.PENDING)
			.count();
	}

	private void pauseUntil(String queue, Instant instant) {
		this.admin.pause(queue);
		this.time.advanceTo(instant);
		this.admin.resume(queue);
		this.time.advance(Duration.ZERO);
	}

	private static ScheduleRequest report(String game, int number, Instant due) {
		return ScheduleRequest.to("report").id(game + "-" + number).group(game).payload(new Behaviour(game)).dueAt(due);
	}

}
