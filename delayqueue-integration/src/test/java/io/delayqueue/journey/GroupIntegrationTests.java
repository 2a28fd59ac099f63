package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupCancelResult;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The group options of a producer, and the independence of groups. */
@SuppressWarnings("NullAway.Init")
class GroupIntegrationTests {

	private static final int SHARE = 20;

	private RedisServer redis;

	private TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.partitions=3")
			.with("delayqueue.queues.limited.group.quota=3")
			.with("delayqueue.queues.newest.group.quota=2")
			.with("delayqueue.queues.newest.group.when-full=drop-oldest");
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void fullGroupRejectsMessagesUntilOneOfItsOwnIsRemoved() {
		DelayQueueOperations queues = this.applications.producer();
		List.of("a", "b", "c").forEach((id) -> queues.schedule(later("limited", id, "u-1")));

		assertThatExceptionOfType(QuotaExceededException.class)
			.isThrownBy(() -> queues.schedule(later("limited", "d", "u-1")))
			.satisfies((refused) -> assertThat(refused.group()).contains("u-1"))
			.withMessageContaining("quota of 3")
			.withMessageContaining("'u-1'");
		assertThat(queues.find("limited", "d")).isEmpty();
		assertThat(queues.schedule(later("limited", "d", "u-2")).isAccepted()).isTrue();
		assertThat(queues.countGroup("limited", "u-1")).isEqualTo(3);
		queues.cancel("limited", "b");
		assertThat(queues.schedule(later("limited", "d2", "u-1")).isAccepted()).isTrue();
	}

	@Test
	void invalidGroupOptionsAreRejectedWithAFix() {
		DelayQueueOperations queues = this.applications.producer();
		ScheduleRequest request = ScheduleRequest.to("any").payload("p").delay(Duration.ofMinutes(1));
		DuplicatePolicy shorter = DuplicatePolicy.postpone(Duration.ofSeconds(59));

		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> queues.schedule(request.onDuplicate(DuplicatePolicy.fail())))
			.withMessageContaining("id is 'missing'")
			.withMessageContaining("FAIL");
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> queues.schedule(request.id("a").onDuplicate(shorter)))
			.withMessageContaining("1m")
			.withMessageContaining("59s");
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> queues.schedule(request.id("a").expiresAt(Instant.EPOCH)))
			.withMessageContaining("1970-01-01T00:00:00Z")
			.withMessageContaining("1m from now");
		assertThat(queues.find("any", "a")).isEmpty();
	}

	@Test
	void eachMessageOfABulkCallIsCheckedAndAnsweredSeparately() {
		List<ScheduleAnswer> answers = this.applications.producer()
			.scheduleAll(IntStream.range(0, 10).mapToObj((i) -> later("limited", "m-" + i, "g-" + i % 2)).toList());

		assertThat(answers.stream().filter((answer) -> answer.result() != null).map(ScheduleAnswer::id))
			.containsExactly("m-0", "m-1", "m-2", "m-3", "m-4", "m-5");
		assertThat(answers.subList(6, 10))
			.allSatisfy((answer) -> assertThat(answer.failure()).isInstanceOf(QuotaExceededException.class));
	}

	@Test
	void oldestMessageIsDroppedWhenTheQueueIsConfiguredSo() {
		DelayQueueOperations queues = this.applications.producer();
		Instant due = Instant.now().plusSeconds(600);
		List<String> dropped = new ArrayList<>();
		for (int i : List.of(2, 1, 3, 4)) {
			dropped.addAll(queues
				.schedule(ScheduleRequest.to("newest").id("m-" + i).group("g").payload("p").dueAt(due.plusSeconds(i)))
				.dropped());
		}

		assertThat(dropped).containsExactly("m-1", "m-2");
		assertThat(queues.listGroup("newest", "g", null, 10).messages()).extracting(GroupMessage::id)
			.containsExactly("m-3", "m-4");
		assertThat(queues.find("newest", "m-1")).isEmpty();
	}

	@Test
	void groupIsListedByDueTimeInFullPagesWithoutRepeatsOrGaps() {
		DelayQueueOperations queues = this.applications.producer();
		Instant first = Instant.now().plusSeconds(600);
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 47; i++) {
			String id = "m-%02d".formatted(i);
			expected.add(id);
			queues.schedule(ScheduleRequest.to("any").id(id).group("g").payload("p").dueAt(first.plusSeconds(i / 3)));
		}
		queues.schedule(later("any", "of-g2", "g2"));
		queues.schedule(later("any", "of-g%", "g%"));
		List<String> listed = new ArrayList<>();
		List<Integer> sizes = new ArrayList<>();
		String cursor = null;
		do {
			GroupPage page = queues.listGroup("any", "g", cursor, 10);
			page.messages().forEach((message) -> listed.add(message.id()));
			sizes.add(page.messages().size());
			queues.cancel("any", page.messages().get(0).id());
			cursor = page.next().orElse(null);
		}
		while (cursor != null);

		assertThat(listed).isEqualTo(expected);
		assertThat(sizes).containsExactly(10, 10, 10, 10, 7);
		assertThat(queues.countGroup("any", "g")).isEqualTo(42);
	}

	@Test
	void cancelGroupCancelsAllMessagesOfThatGroupOnly() {
		DelayQueueOperations queues = this.applications.producer();
		queues.scheduleAll(IntStream.range(0, 250).mapToObj((i) -> later("any", "m-" + i, "g")).toList());
		queues.schedule(later("any", "other", "g2"));

		assertThat(queues.cancelGroup("any", "g")).isEqualTo(new GroupCancelResult(250, 0));

		assertThat(queues.countGroup("any", "g")).isZero();
		assertThat(queues.find("any", "m-7")).isEmpty();
		assertThat(queues.countGroup("any", "g2")).isEqualTo(1);
	}

	@Test
	void parkedMessageIsReportedAsParkedAndItsGroupContinues() {
		DelayQueueOperations queues = this.applications.producer();
		queues.scheduleAll(IntStream.range(0, SHARE + 5)
			.mapToObj((i) -> ScheduleRequest.to("shared")
				.id("m-%02d".formatted(i))
				.group("g")
				.payload("hold")
				.dueAt(Instant.EPOCH))
			.toList());
		Shared shared = this.applications.start(Shared.class).getBean(Shared.class);

		Awaitility.await().until(() -> queues.find("shared", "m-24").orElseThrow().state() == MessageState.PARKED);
		assertThat(queues.listGroup("shared", "g", null, 100).messages().subList(SHARE, SHARE + 5))
			.extracting(GroupMessage::state)
			.containsOnly(MessageState.PARKED);
		shared.go.countDown();

		assertThat(shared.handled.await(SHARE + 5)).extracting(Handled.Run::id).doesNotHaveDuplicates();
	}

	/**
	 * Counted, not timed: with its share of 20 the hot group can be ahead of a message by
	 * its ready and pending messages, and by those that become ready while that message
	 * is swept and read.
	 */
	@Test
	void backlogOfAGroupDoesNotDelayMessagesOfOtherGroups() {
		DelayQueueOperations queues = this.applications.producer();
		for (int call = 0; call < 5; call++) {
			int from = call * 1000;
			queues.scheduleAll(IntStream.range(from, from + 1000)
				.mapToObj((i) -> ScheduleRequest.to("shared").group("hot").payload("hot").dueAt(Instant.EPOCH))
				.toList());
		}
		Shared shared = this.applications.start(Shared.class).getBean(Shared.class);
		shared.go.countDown();
		shared.handled.await(100);
		int before = shared.handled.runs().size();

		for (int i = 0; i < 50; i++) {
			queues.schedule(ScheduleRequest.to("shared").group("calm-" + i).payload("calm").delay(Duration.ZERO));
		}

		Awaitility.await()
			.until(() -> shared.handled.runs().stream().filter((run) -> run.payload().equals("calm")).count() == 50);
		List<Handled.Run> runs = shared.handled.runs();
		int last = runs.stream().map(Handled.Run::payload).toList().lastIndexOf("calm");
		assertThat(last - before).as("of 5,000 that were due long before").isLessThan(2500);
	}

	private static ScheduleRequest later(String queue, String id, String group) {
		return ScheduleRequest.to(queue).id(id).group(group).payload("p").delay(Duration.ofMinutes(10));
	}

	@Configuration(proxyBeanMethods = false)
	static class Shared {

		final Handled handled = new Handled();

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(queue = "shared")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.go.await();
			this.handled.add(message);
		}

	}

}
