package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.GroupCancelResult;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetterEdit;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls of an operator whose reply is lost: repeated by the library over Jedis, and by
 * the driver itself over Lettuce.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
@ParameterizedClass
@ValueSource(strings = { "jedis", "lettuce" })
class LostOperatorCallIntegrationTests {

	private static final String QUEUE = Worker.QUEUE;

	@Parameter
	String driver;

	private RedisServer redis;

	private FaultProxy proxy;

	private FaultHarness harness;

	private DelayQueueAdmin admin;

	@BeforeEach
	void startWithUsedScripts() {
		this.redis = RedisServer.builder().start();
		this.proxy = FaultProxy.to(this.redis);
		this.harness = new FaultHarness(this.proxy.uri(), "delayqueue.schedule.deadline=2s",
				"delayqueue.defaults.max-attempts=1", "spring.data.redis.client-type=" + this.driver)
			.startWarm();
		this.admin = this.harness.bean(DelayQueueAdmin.class);
		// Redis has the scripts cached from now on, so later calls send only their
		// digests
		this.admin.discard(MessageKey.of(QUEUE, "unknown"));
		this.admin.redrive(MessageKey.of(QUEUE, "unknown"));
		wait(1);
		assertThat(this.admin.purge(QUEUE).total()).isOne();
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 55: a bulk discard whose replies are lost removes no more than its limit")
	void bulkDiscardRemovesNoMoreThanItsLimit() {
		createDeadLetters(6);
		this.proxy.cutNextReplyTo(Scripts.digest("discard"));

		assertThat(this.admin.discard(DeadLetterSelection.of(QUEUE).atMost(3))).isEqualTo(3);

		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead()).isEqualTo(3);
	}

	@Test
	@DisplayName("row 55: a bulk redrive whose replies are lost counts each message once")
	void bulkRedriveCountsEachMessageOnceAndKeepsItsLimit() {
		createDeadLetters(6);
		this.proxy.cutNextReplyTo(Scripts.digest("redrive"));

		assertThat(this.admin.redrive(DeadLetterSelection.of(QUEUE).atMost(3))).isEqualTo(3);

		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead()).isEqualTo(3);
	}

	@Test
	@DisplayName("row 55: a redrive whose reply is lost returns the answer of its first run")
	void repeatedRedriveReportsTheDeadLetter() {
		createDeadLetters(2);
		this.proxy.cutNextReplyTo(Scripts.digest("redrive"));

		assertThat(this.admin.redrive(MessageKey.of(QUEUE, this.harness.id("m-1")))).isTrue();

		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead()).isOne();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redrive", "schedule", "discard" })
	@DisplayName("row 55: an edit of a dead letter whose reply is lost returns the answer of its first run")
	void repeatedEditReportsTheDeadLetter(String script) {
		createDeadLetters(2);
		DeadLetterEdit edit = DeadLetterEdit.none().header("a", "b");
		this.proxy.cutNextReplyTo(Scripts.digest(script));

		assertThat(this.admin.redrive(MessageKey.of(QUEUE, this.harness.id("m-1")),
				script.equals("redrive") ? edit : edit.id("renamed")))
			.isPresent();

		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead()).isOne();
	}

	@Test
	@DisplayName("row 55: a discard whose reply is lost returns the answer of its first run")
	void repeatedDiscardReportsTheDeadLetter() {
		createDeadLetters(2);
		this.proxy.cutNextReplyTo(Scripts.digest("discard"));

		assertThat(this.admin.discard(MessageKey.of(QUEUE, this.harness.id("m-1")))).isTrue();

		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead()).isOne();
	}

	@Test
	@DisplayName("row 55: a purge whose replies are lost counts each message once")
	void purgeCountsEachRemovedMessageOnce() {
		wait(250);
		createDeadLetters(3);
		this.proxy.cutNextReplyTo(Scripts.digest("purge"));

		assertThat(this.admin.purgeWithDeadLetters(QUEUE)).isEqualTo(new PurgeResult(QUEUE, 250, 0, 3));

		assertThat(this.proxy.cuts()).isOne();
	}

	@Test
	void cancelGroupCountsEachCancelledMessageOnce() {
		wait(250);
		this.proxy.cutNextReplyTo(Scripts.digest("purge"));

		assertThat(this.harness.queue().cancelGroup(QUEUE, "g")).isEqualTo(new GroupCancelResult(250, 0));

		assertThat(this.proxy.cuts()).isOne();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void pauseAndDrainReportTheirStart(boolean pause) {
		this.admin.reopen(QUEUE);
		this.proxy.cutNextReplyTo(Scripts.digest("control"));

		assertThat(pause ? this.admin.pause(QUEUE) : this.admin.drain(QUEUE)).isEqualTo(this.admin.status(QUEUE))
			.satisfies((status) -> assertThat(status.isPaused()).isEqualTo(pause))
			.satisfies((status) -> assertThat(status.isDraining()).isNotEqualTo(pause));

		assertThat(this.proxy.cuts()).isOne();
	}

	/** Schedules messages of a group that are due tomorrow. */
	private void wait(int count) {
		List<ScheduleRequest> requests = IntStream.range(0, count)
			.mapToObj((number) -> ScheduleRequest.to(QUEUE).payload("p").group("g").delay(Duration.ofDays(1)))
			.toList();
		assertThat(this.harness.queue().scheduleAll(requests)).allMatch((answer) -> answer.isAccepted());
	}

	/** Creates dead letters m-0 and on, whose handler would succeed from now on. */
	private void createDeadLetters(int count) {
		this.harness.worker().behaviour = (message) -> {
			throw new IllegalStateException("broken");
		};
		for (int number = 0; number < count; number++) {
			this.harness.schedule("m-" + number, Duration.ZERO);
		}
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> dead() == count);
		this.harness.worker().behaviour = (message) -> {
		};
	}

	private long dead() {
		return (Long) this.redis.call("ZCARD", this.harness.key("dead"));
	}

}
