package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.journey.fixture.Listeners.Order;
import io.delayqueue.journey.fixture.OneListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.redis.StoreException;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An application during outages, short interruptions and refusals of Redis. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class RedisOutageIntegrationTests {

	private RedisServer redis;

	private TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.schedule.deadline=1s");
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void applicationStartsWithoutRedisAndWorksWhenItReturns() {
		this.redis.stop();
		ConfigurableApplicationContext context = this.applications.start(OneListener.class);

		this.redis.restart();

		context.getBean(DelayQueueOperations.class).schedule("orders", new Order("o", 1), Duration.ZERO);
		context.getBean(OneListener.class).handled.await(1);
	}

	@Test
	void messageScheduledBeforeAnOutageIsHandledAfterIt() {
		ConfigurableApplicationContext context = this.applications.start(OneListener.class);
		DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
		queue.schedule("orders", new Order("warm", 1), Duration.ZERO);
		context.getBean(OneListener.class).handled.await(1);
		queue.schedule("orders", new Order("o", 1), Duration.ofMillis(500));

		this.redis.kill();
		this.redis.restart();

		assertThat(context.getBean(OneListener.class).handled.await(2).get(1).payload()).isEqualTo(new Order("o", 1));
	}

	@Test
	void schedulingWithoutRedisFailsWithinTheDeadlineAndStoresNothing() {
		DelayQueueOperations producer = this.applications.producer();
		this.redis.stop();

		assertThatExceptionOfType(DelayQueueUnavailableException.class)
			.isThrownBy(() -> producer.schedule(request("o-1")))
			.satisfies((failure) -> {
				assertThat(failure.queue()).isEqualTo("orders");
				assertThat(failure.messageId()).isEqualTo("o-1");
				assertThat(failure).hasMessageContaining("o-1").hasMessageContaining("nothing is stored");
			});
		assertThat(producer.scheduleAll(List.of(request("o-2"), request("o-3"))))
			.allSatisfy((answer) -> assertThat(answer.failure()).isInstanceOf(DelayQueueUnavailableException.class));
		this.redis.restart();
		assertThat(producer.find("orders", "o-1")).isEmpty();
	}

	@Test
	void callWithALostReplyIsRepeatedAndTheMessageIsStoredOnce() {
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			this.applications.with("spring.data.redis.url=" + proxy.uri());
			DelayQueueOperations producer = this.applications.producer();
			producer.schedule(request("warm"));
			proxy.cutNextReply();

			assertThat(producer.schedule(request("o-1")).outcome()).isEqualTo(Outcome.CREATED);
			assertThat(producer.schedule(request("o-1")).outcome()).isEqualTo(Outcome.DUPLICATE);
		}
	}

	@Test
	void outcomeIsUnknownWithoutAnyReplyAndRepeatingWithTheSameIdIsSafe() {
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			this.applications.with("spring.data.redis.url=" + proxy.uri()).with("spring.data.redis.timeout=200ms");
			DelayQueueOperations producer = this.applications.producer();
			producer.schedule(request("warm"));
			proxy.cutReply();

			assertThatExceptionOfType(ScheduleOutcomeUnknownException.class)
				.isThrownBy(() -> producer.schedule(request("o-1")))
				.satisfies((failure) -> assertThat(failure.messageId()).isEqualTo("o-1"));
			proxy.pass();
			assertThat(producer.schedule(request("o-1")).outcome()).isIn(Outcome.CREATED, Outcome.DUPLICATE);
			assertThat(producer.find("orders", "o-1")).isPresent();
		}
	}

	@Test
	void afterAnUnknownOutcomeOfRunNowTheCallerIsToLookForTheMessage() {
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			this.applications.with("spring.data.redis.url=" + proxy.uri()).with("spring.data.redis.timeout=200ms");
			ConfigurableApplicationContext context = this.applications.start();
			RecurringOperations recurring = context.getBean(RecurringOperations.class);
			recurring.createOrReplace(RecurringSchedule.to("orders", "daily").payload("p").every(Duration.ofDays(1)));
			recurring.runNow("orders", "daily");
			proxy.cutRepliesTo(Scripts.digest("schedule-new"));

			assertThatExceptionOfType(ScheduleOutcomeUnknownException.class)
				.isThrownBy(() -> recurring.runNow("orders", "daily"))
				.withMessageContainingAll("schedule 'daily'", "before you call runNow again")
				.satisfies((failure) -> {
					assertThat(failure).hasMessageNotContaining("with the same id")
						.hasCauseInstanceOf(StoreException.class);
					assertThat(context.getBean(DelayQueueOperations.class).find("orders", failure.messageId()))
						.isPresent();
				});
		}
	}

	@Test
	void foreignKeyIsReportedAndNothingIsWritten() {
		DelayQueueOperations producer = this.applications.producer();
		String key = this.applications.prefix() + ":{orders:0}:scheduled";
		this.redis.call("SET", key, "foreign");

		assertThatExceptionOfType(RedisRefusedException.class).isThrownBy(() -> producer.schedule(request("o-1")))
			.withMessageContaining(key)
			.withMessageContaining("string")
			.withMessageContaining("zset");
		assertThat(this.redis.call("EXISTS", this.applications.prefix() + ":{orders:0}:messages")).isEqualTo(0L);
	}

	@Test
	void missingRightIsReported() {
		DelayQueueOperations producer = this.applications.producer();
		this.redis.call("ACL", "SETUSER", "default", "-zadd");

		assertThatExceptionOfType(RedisRefusedException.class).isThrownBy(() -> producer.schedule(request("o-1")))
			.withMessageContaining("zadd");
	}

	@Test
	void higherPartitionCountIsTakenWhileThereAreMessages() {
		this.applications.producer().schedule(request("o-1"));
		this.applications.with("delayqueue.defaults.partitions=3");
		DelayQueueOperations producer = this.applications.producer();

		assertThat(producer.schedule(request("o-2")).isAccepted()).isTrue();
		assertThat(producer.schedule(request("o-1")).isAccepted()).isFalse();
		String epochs = this.applications.prefix() + ":{members}:epochs";
		Awaitility.await().until(() -> "3;1,1:3".equals(this.redis.call("HGET", epochs, "orders")));
		assertThat(producer.find("orders", "o-1")).isPresent();
		assertThat(producer.find("orders", "o-2")).isPresent();
	}

	@Test
	void invalidRequestIsRejectedAtTheCallAndNothingIsWritten() {
		this.applications.with("delayqueue.queues.orders.max-delay=1h")
			.with("delayqueue.queues.orders.max-payload-size=100B");
		DelayQueueOperations producer = this.applications.producer();

		assertInvalid("delay", "1h", () -> producer.schedule(request("o").delay(Duration.ofHours(2))));
		assertInvalid("dueAt", "1h", () -> producer.schedule(request("o").dueAt(Instant.now().plusSeconds(7200))));
		assertInvalid("payload", "100 bytes", () -> producer.schedule(request("o").payload("x".repeat(100))));
		assertInvalid("payload", "Unwritable", () -> producer.schedule(request("o").payload(new Unwritable())));
		assertInvalid("payload", "set", () -> producer.schedule(ScheduleRequest.to("orders").delay(Duration.ZERO)));
		assertInvalid("dueAt", "delay", () -> producer.schedule(ScheduleRequest.to("orders").payload("p")));
		assertInvalid("delay", "1h", () -> producer.reschedule("orders", "o", Duration.ofHours(2)));

		assertThat(this.redis.call("HLEN", this.applications.prefix() + ":{orders:0}:messages")).isEqualTo(0L);
	}

	/** A payload that no mapper can serialize. */
	static class Unwritable {

		public String getText() {
			throw new IllegalStateException("not now");
		}

	}

	private static void assertInvalid(String field, String limit, Runnable call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
			.withMessageContaining(field)
			.withMessageContaining(limit);
	}

	private static ScheduleRequest request(String id) {
		return ScheduleRequest.to("orders").payload(new Order(id, 1)).id(id).delay(Duration.ofMinutes(1));
	}

}
