package io.delayqueue.example.quotas;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.GroupMessage;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.example.quotas.GroupListeners.Work;
import io.delayqueue.example.quotas.Orders.TooManyOrdersException;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;

/** Groups are limited as described in the guide. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/quotas-and-groups.yml")
class QuotasAndGroupsTests {

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Work work;

	@Test
	void fourthOrderOfAUserIsRejectedUntilOneIsHandled() {
		Orders orders = new Orders(this.delayQueue);
		orders.place("u-1", "o-1");
		orders.place("u-1", "o-2");
		orders.place("u-1", "o-3");
		assertThatExceptionOfType(TooManyOrdersException.class).isThrownBy(() -> orders.place("u-1", "o-4"))
			.withMessage("Pay one of your 3 orders first");
		orders.place("u-2", "o-5");
		// an existing message already has its slot
		orders.place("u-1", "o-1");
		this.delayQueue.cancel("order-timeout", "o-2");
		orders.place("u-1", "o-4");
		assertThat(this.delayQueue.countGroup("order-timeout", "u-1")).isEqualTo(3);
		assertThat(this.delayQueue.listGroup("order-timeout", "u-1", null, 100).messages()).extracting(GroupMessage::id)
			.containsExactly("o-1", "o-3", "o-4");
		assertThat(this.delayQueue.cancelGroup("order-timeout", "u-1").cancelled()).isEqualTo(3);
	}

	@Test
	void theOldestMessageOfAFullGroupIsDropped() {
		List<ScheduleAnswer> full = this.delayQueue.scheduleAll(IntStream.range(0, 1000)
			.mapToObj((n) -> ScheduleRequest.to("report")
				.id("r-" + n)
				.group("g-1")
				.payload("x")
				.delay(Duration.ofMinutes(1).plusMillis(n)))
			.toList());
		assertThat(full).allMatch(ScheduleAnswer::isAccepted);
		ScheduleResult result = new Behaviours(this.delayQueue).report("g-1", "y");
		assertThat(result.outcome()).isEqualTo(Outcome.CREATED);
		assertThat(result.dropped()).containsExactly("r-0");
		assertThat(this.delayQueue.countGroup("report", "g-1")).isEqualTo(1000);
	}

	@Test
	void timelineIsInOrderAlsoWithRetries() {
		TestQueue timeline = this.queues.queue("timeline");
		timeline.failNext(1);
		Instant now = this.time.now();
		for (int n = 1; n <= 3; n++) {
			this.delayQueue.schedule(
					ScheduleRequest.to("timeline").id("e-" + n).group("u-1").payload("e").dueAt(now.plusMillis(n)));
		}
		this.time.advance(Duration.ofMinutes(1));
		assertThat(timeline).hasDelivered("e-1", "e-1", "e-2", "e-3");
	}

	@Test
	void aTenantDoesNotExceedItsShare() {
		CountDownLatch full = new CountDownLatch(6);
		CountDownLatch other = new CountDownLatch(1);
		Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
		Map<String, Integer> most = new ConcurrentHashMap<>();
		willAnswer((call) -> {
			String tenant = call.getArgument(0);
			AtomicInteger count = running.computeIfAbsent(tenant, (absent) -> new AtomicInteger());
			most.merge(tenant, count.incrementAndGet(), Math::max);
			if (tenant.equals("other")) {
				assertThat(full.await(2, TimeUnit.MINUTES)).isTrue();
				other.countDown();
			}
			full.countDown();
			// If one tenant took all permits, the other tenant would wait for ever
			assertThat(other.await(2, TimeUnit.MINUTES)).isTrue();
			count.decrementAndGet();
			return null;
		}).given(this.work).export(any(), any());
		List<ScheduleRequest> requests = new ArrayList<>();
		Instant due = this.time.now().plusSeconds(60);
		for (int n = 0; n < 20; n++) {
			requests.add(export("hot", n, due));
			requests.add(export("nightly", n, due));
		}
		requests.add(export("other", 0, due.plusMillis(100)));
		this.delayQueue.scheduleAll(requests);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(most).containsEntry("hot", 4).containsEntry("nightly", 2).containsEntry("other", 1);
		assertThat(this.queues.queue("export").deliveries()).hasSize(41).allMatch((delivery) -> delivery.isHandled());
	}

	private static ScheduleRequest export(String tenant, int number, Instant due) {
		return ScheduleRequest.to("export").id(tenant + "-" + number).group(tenant).payload("t").dueAt(due);
	}

}
