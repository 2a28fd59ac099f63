package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.RedisSentinel;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls before the application has started and after it has stopped: the same over both
 * drivers, and on each kind of Redis.
 */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class CallOutsideLifecycleIntegrationTests {

	private RedisSentinel sentinel;

	private RedisCluster cluster;

	private TestApplication application;

	@BeforeAll
	void startServers() {
		this.sentinel = RedisSentinel.builder().start();
		this.cluster = RedisCluster.builder().replicas(0).start();
	}

	@AfterAll
	void stopServers() {
		this.cluster.close();
		this.sentinel.close();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	static Stream<Arguments> all() {
		return Stream.of("one server", "sentinel", "cluster")
			.flatMap((servers) -> Stream.of("jedis", "lettuce").map((driver) -> Arguments.of(servers, driver)));
	}

	/** Schedules while beans are created, before any of them is started. */
	static class Early {

		final Outcome scheduled;

		Early(DelayQueueOperations queue) {
			this.scheduled = queue.schedule(request("early")).outcome();
		}

	}

	@ParameterizedTest
	@MethodSource("all")
	void beanMayScheduleDuringItsCreation(String servers, String driver) {
		ConfigurableApplicationContext context = application(servers, driver).start(Early.class);

		assertThat(context.getBean(Early.class).scheduled).isEqualTo(Outcome.CREATED);
		assertThat(context.getBean(DelayQueueOperations.class).find("orders", "early")).isPresent();
	}

	/** The deadline is longer than any test waits, because no call may be repeated. */
	@Timeout(value = 2, unit = TimeUnit.MINUTES)
	@ParameterizedTest
	@MethodSource("all")
	void callsAfterAStopAreRejectedAtOnceUntilTheNextStart(String servers, String driver) {
		ConfigurableApplicationContext context = application(servers, driver).with("delayqueue.schedule.deadline=5m")
			.with("delayqueue.defaults.done-window=10m")
			.with("delayqueue.defaults.done-window-of-generated-ids=10m")
			.start();
		DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
		DelayQueueAdmin admin = context.getBean(DelayQueueAdmin.class);
		queue.schedule(request("before"));

		context.stop();
		assertRefused(queue, admin);
		context.start();
		assertThat(queue.schedule(request("between")).outcome()).isEqualTo(Outcome.CREATED);
		context.close();
		assertRefused(queue, admin);
	}

	private static void assertRefused(DelayQueueOperations queue, DelayQueueAdmin admin) {
		assertThatExceptionOfType(DelayQueueUnavailableException.class)
			.isThrownBy(() -> queue.schedule(request("late")))
			.withMessageContaining("nothing is stored")
			.withMessageContaining("the application has stopped");
		assertThat(queue.scheduleAll(List.of(request("late"), request("later")))).extracting("failure")
			.hasOnlyElementsOfType(DelayQueueUnavailableException.class);
		Stream
			.<Runnable>of(() -> queue.cancel("orders", "before"), () -> queue.find("orders", "before"),
					() -> queue.countGroup("orders", "any"), () -> admin.pause("orders"),
					() -> queue.schedule(ScheduleRequest.to("never-used").payload("p").delay(Duration.ZERO)))
			.forEach((call) -> assertThatExceptionOfType(DelayQueueUnavailableException.class).isThrownBy(call::run));
	}

	private TestApplication application(String servers, String driver) {
		this.application = new TestApplication(SharedRedis.get().uri()).with("spring.data.redis.client-type=" + driver)
			.with("spring.data.redis.lettuce.shutdown-timeout=0ms");
		switch (servers) {
			case "sentinel" -> this.application.without("spring.data.redis.url")
				.with("spring.data.redis.sentinel.master=" + RedisSentinel.MASTER_NAME)
				.with("spring.data.redis.sentinel.nodes=" + String.join(",", this.sentinel.addresses()));
			case "cluster" -> this.application.without("spring.data.redis.url")
				.with("spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.addresses()));
			default -> {
				// The application keeps its server
			}
		}
		return this.application;
	}

	private static ScheduleRequest request(String id) {
		return ScheduleRequest.to("orders").payload("p").id(id).delay(Duration.ofMinutes(1));
	}

}
