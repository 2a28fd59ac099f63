package io.delayqueue.example.scheduling;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.GroupCancelResult;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.example.scheduling.Listeners.Behaviour;
import io.delayqueue.example.scheduling.Listeners.Partner;
import io.delayqueue.example.scheduling.Refunds.Card;
import io.delayqueue.example.scheduling.Refunds.Circle;
import io.delayqueue.example.scheduling.Refunds.Square;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** Groups, batches and expiry work as described in the document. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/scheduling.yml")
@Import({ Groups.class, Pushes.class, Refunds.class })
class SchedulingTests {

	@Autowired
	private Groups groups;

	@Autowired
	private Pushes pushes;

	@Autowired
	private Refunds refunds;

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
	void cancellingAGroupReturnsTheNumberInFlight() {
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
	void pushIsSentFromNineToTen() {
		Instant nine = this.time.now().plus(Duration.ofHours(1));
		this.pushes.schedule("good morning", nine, nine.plus(Duration.ofHours(1)));
		this.time.advance(Duration.ofMinutes(59));
		verify(this.partner, never()).push(any());
		this.time.advanceTo(nine);
		verify(this.partner).push("good morning");
	}

	@Test
	void aPayloadIsReadAsTheTypeThatItsListenerDeclares() {
		this.refunds.refund(new Card("4711"));
		this.refunds.draw(List.of(new Circle(1), new Square(2)));
		this.time.advance(Duration.ofMinutes(5));
		verify(this.partner).refund(new Card("4711"));
		verify(this.partner).draw(List.of(new Circle(1), new Square(2)));
	}

	@Test
	void aPayloadThatNoListenerCouldReadIsRefused() {
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> this.refunds.drawUntyped(Map.of("a", new Circle(1))))
			.withMessageContaining("type id")
			.withMessageContaining("ParameterizedTypeReference");
	}

	@Test
	void pushesAreSpreadOverTenMinutes() {
		Instant nine = this.time.now().plus(Duration.ofHours(1));
		assertThat(IntStream.range(0, 100)
			.mapToObj((i) -> this.pushes.spread("good morning", "user-" + i, nine).dueAt())
			.distinct()
			.toList()).hasSizeGreaterThan(90)
			.allSatisfy((due) -> assertThat(due).isBetween(nine, nine.plus(Duration.ofMinutes(10))));
	}

	@Test
	void reportThatIsThreeMinutesLateIsDropped() {
		Instant now = this.time.now();
		this.delayQueue.schedule(report("g", 1, now.plusSeconds(60)));
		this.delayQueue.schedule(report("g", 2, now.plusSeconds(180)));
		pauseUntil("report", now.plusSeconds(300));
		assertThat(this.queues.queue("report")).hasNo("g-1").hasDelivered("g-2");
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
