package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.LimitedWork;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Single calls whose request or reply is lost. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LostCallIntegrationTests {

	private RedisServer redis;

	private FaultProxy proxy;

	private FaultHarness harness;

	String driver() {
		return "jedis";
	}

	/**
	 * Whether the driver sends a request again when its connection is back, possibly
	 * after the caller has received an unknown outcome.
	 */
	boolean sendsAgain() {
		return false;
	}

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.proxy = FaultProxy.to(this.redis);
		this.harness = new FaultHarness(this.proxy.uri(), "delayqueue.schedule.deadline=2s",
				"delayqueue.defaults.visibility-timeout=3s", "spring.data.redis.client-type=" + driver());
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.proxy.close();
		this.redis.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "schedule-new", "schedule" })
	@DisplayName("row 1: a lost request to schedule is repeated, and fires once")
	void lostRequestIsRepeated(String script) {
		this.harness.startWarm();
		this.proxy.cutNextRequest(Scripts.digest(script));

		scheduleBy(script, Duration.ZERO);

		assertThat(this.proxy.cuts()).isOne();
		assertThat(this.harness.ledger().accepted()).containsExactly("m");
		assertHandledOnce("m");
	}

	@Test
	@DisplayName("row 1: when each request to schedule is lost, the outcome is unknown and nothing fires, unless the driver"
			+ " sends it once more")
	void nothingFiresWhenEveryRequestIsLost() {
		this.harness.startWarm();
		this.proxy.cutRequests(Scripts.digest("schedule-new"));

		this.harness.schedule("m", Duration.ZERO);

		assertThat(this.proxy.cuts()).isGreaterThan(1);
		this.proxy.pass();
		assertThat(this.harness.ledger().unknown()).containsOnlyKeys("m");
		this.harness.schedule("n", Duration.ZERO);
		assertHandledOnce("n");
		assertThat(this.harness.ledger().runsOf("m")).hasSizeLessThanOrEqualTo(sendsAgain() ? 1 : 0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "schedule-new", "schedule" })
	@DisplayName("row 2: a call with a lost reply to schedule is repeated, and the message fires once")
	void callWithALostReplyIsRepeated(String script) {
		this.harness.startWarm();
		this.proxy.cutNextReplyTo(Scripts.digest(script));

		scheduleBy(script, Duration.ofMillis(200));

		assertThat(this.proxy.cuts()).isOne();
		assertThat(this.harness.ledger().accepted()).containsExactly("m");
		assertHandledOnce("m");
	}

	@Test
	@DisplayName("row 2: when each reply to schedule is lost, the outcome is unknown and the message fires once")
	void messageFiresOnceWhenEveryReplyIsLost() {
		this.harness.startWarm();
		this.proxy.cutRepliesTo(Scripts.digest("schedule-new"));

		this.harness.schedule("m", Duration.ofMillis(200));

		assertThat(this.proxy.cuts()).isGreaterThan(1);
		this.proxy.pass();
		assertThat(this.harness.ledger().unknown()).containsOnlyKeys("m");
		this.harness.ledger().await(1 + 1);
		assertHandledOnce("m");
	}

	/** Schedules the message m with a call that uses this script first. */
	private void scheduleBy(String script, Duration delay) {
		if (script.equals("schedule")) {
			this.harness.scheduleChosen("m", delay);
		}
		else {
			this.harness.schedule("m", delay);
		}
	}

	@Test
	@DisplayName("row 3: calls that time out and are executed later fire once each")
	void callsThatTimeOutAndRunLaterFireOnce() throws InterruptedException {
		this.harness
			.with("spring.data.redis.timeout=500ms", "delayqueue.schedule.deadline=1m",
					"delayqueue.defaults.done-window-of-generated-ids=2m")
			.startWarm();
		ExecutorService callers = Executors.newFixedThreadPool(4);

		this.redis.freeze();
		for (int i = 0; i < 4; i++) {
			String name = "m-" + i;
			callers.execute(() -> this.harness.schedule(name, Duration.ZERO));
		}
		callers.shutdown();
		// Longer than one timeout, so that each call is repeated at least once
		assertThat(callers.awaitTermination(1500, TimeUnit.MILLISECONDS)).isFalse();
		this.redis.resume();

		assertThat(callers.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
		assertThat(this.harness.ledger().accepted()).hasSize(4);
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).hasSize(4 + 1);
	}

	@Test
	@DisplayName("row 9: a lost reply to acknowledge does not bring the message back")
	void lostReplyToAcknowledgeDoesNotRedeliver() {
		this.harness.startWarm();
		this.proxy.cutNextReplyTo(Scripts.digest("acknowledge"));

		this.harness.schedule("m", Duration.ZERO);

		assertHandledOnce("m");
		assertThat(this.proxy.cuts()).isOne();
	}

	@Test
	@DisplayName("row 10: a lost reply to retry moves and counts once")
	void lostReplyToRetryMovesAndCountsOnce() {
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() < 3) {
				throw new IllegalStateException("attempt " + message.attempt());
			}
		};
		this.harness.schedule("first", Duration.ZERO);
		this.harness.awaitGone(Worker.QUEUE, this.harness.id("first"));
		this.proxy.cutNextReplyTo(Scripts.digest("settle"));

		this.harness.schedule("m", Duration.ZERO);

		this.harness.awaitGone(Worker.QUEUE, this.harness.id("m"));
		assertThat(this.proxy.cuts()).isOne();
		assertThat(this.harness.ledger().runsOf("m")).extracting(Ledger.Run::attempt).containsExactly(1, 2, 3);
		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 10: a lost reply to dead-letter dead-letters the message once")
	void lostReplyToDeadLetterDeadLettersOnce() {
		this.harness.with("delayqueue.defaults.max-attempts=1").startWarm();
		this.harness.worker().behaviour = (message) -> {
			throw new IllegalStateException("broken");
		};
		this.harness.schedule("first", Duration.ZERO);
		this.harness.awaitState(this.harness.id("first"), MessageState.DEAD);
		this.proxy.cutNextReplyTo(Scripts.digest("settle"));

		this.harness.schedule("m", Duration.ZERO);

		MessageSnapshot dead = this.harness.awaitState(this.harness.id("m"), MessageState.DEAD);
		Awaitility.await().until(() -> this.harness.failing().isEmpty());
		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead.attempts()).isOne();
		assertThat(this.harness.ledger().runsOf("m")).hasSize(1);
		assertThat(this.redis.call("ZCARD", this.harness.key("dead"))).isEqualTo(2L);
		assertThat(this.redis.call("XLEN", this.harness.key("ready"))).isEqualTo(0L);
		assertThat(pending()).isZero();
	}

	@Test
	@DisplayName("row 11: messages of a lost read are redelivered without a counted crash, before their lease ends")
	void messagesOfALostReadAreRedelivered() {
		this.harness.with("delayqueue.defaults.visibility-timeout=9s").startWarm();
		this.proxy.cutRepliesTo(Scripts.digest("sweep"));
		this.harness.schedule("m", Duration.ZERO);
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> pending() == 1);
		this.proxy.pass();

		List<Ledger.Run> runs = this.harness.ledger().await(2);

		assertThat(this.proxy.cuts()).isPositive();
		assertThat(runs.get(1).attempt()).isOne();
		assertHandledOnce("m");
	}

	@Test
	void messagesOfALostReadAreRedeliveredHoweverManyOthersArePending() {
		CountDownLatch go = new CountDownLatch(1);
		int held = 510;
		this.harness.with("delayqueue.defaults.visibility-timeout=9s", "delayqueue.defaults.concurrency=" + (held + 10))
			.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.payload().startsWith("held")) {
				go.await();
			}
		};
		this.harness.scheduleAll("held", held, Duration.ZERO);
		this.harness.ledger().await(1 + held);
		this.proxy.cutRepliesTo(Scripts.digest("sweep"));
		this.harness.schedule("m", Duration.ZERO);
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> pending() == held + 1);
		this.proxy.pass();

		List<Ledger.Run> runs = this.harness.ledger().await(1 + held + 1);

		assertThat(this.proxy.cuts()).isPositive();
		assertThat(runs.get(1 + held).attempt()).isOne();
		go.countDown();
		assertHandledOnce("m");
	}

	@Test
	@DisplayName("row 11: lost replies to reads bring no more messages in flight than allowed, and all of them later")
	void lostReadsExceedNoLimit() {
		int most = 5;
		this.harness.with("delayqueue.queues.work.max-in-flight=" + most).startWarm();
		LimitedWork work = new LimitedWork(this.harness);
		this.proxy.cutRepliesTo(Scripts.digest("sweep"));
		work.schedule("m", 100, (i) -> "");
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.proxy.cuts() >= 3);
		work.awaitAllUsed(this.redis, most);
		this.proxy.pass();

		work.awaitNothingLeft(this.redis, most);
		this.harness.ledger().awaitAccepted();
	}

	private long pending() {
		return (Long) ((List<?>) this.redis.call("XPENDING", this.harness.key("ready"), "consumers")).get(0);
	}

	private void assertHandledOnce(String name) {
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runsOf(name)).hasSize(1);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

}
