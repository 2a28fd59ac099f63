package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Scripts;
import io.delayqueue.fault.fixture.Trial;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Single calls whose request or reply is lost. */
@SuppressWarnings("NullAway.Init")
class LostCallIntegrationTests {

	private RedisServer redis;

	private FaultProxy proxy;

	private Trial trial;

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
		this.trial = new Trial(this.proxy.uri(), "delayqueue.schedule.deadline=2s",
				"delayqueue.defaults.visibility-timeout=3s", "spring.data.redis.client-type=" + driver());
	}

	@AfterEach
	void stopAll() {
		this.trial.close();
		this.proxy.close();
		this.redis.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "schedule-new", "schedule" })
	@DisplayName("row 1: a lost request to schedule is repeated, and fires once")
	void lostRequestIsRepeated(String script) {
		this.trial.startWarm();
		this.proxy.cutNextRequest(Scripts.digest(script));

		scheduleBy(script, Duration.ZERO);

		assertThat(this.proxy.cuts()).isOne();
		assertThat(this.trial.ledger().accepted()).containsExactly("m");
		assertHandledOnce("m");
	}

	@Test
	@DisplayName("row 1: when each request to schedule is lost, the outcome is unknown and nothing fires, unless the driver"
			+ " sends it once more")
	void nothingFiresWhenEveryRequestIsLost() {
		this.trial.startWarm();
		this.proxy.cutRequests(Scripts.digest("schedule-new"));

		this.trial.schedule("m", Duration.ZERO);

		assertThat(this.proxy.cuts()).isGreaterThan(1);
		this.proxy.pass();
		assertThat(this.trial.ledger().unknown()).containsOnlyKeys("m");
		this.trial.schedule("n", Duration.ZERO);
		assertHandledOnce("n");
		assertThat(this.trial.ledger().runsOf("m")).hasSizeLessThanOrEqualTo(sendsAgain() ? 1 : 0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "schedule-new", "schedule" })
	@DisplayName("row 2: a call with a lost reply to schedule is repeated, and the message fires once")
	void callWithALostReplyIsRepeated(String script) {
		this.trial.startWarm();
		this.proxy.cutNextReplyTo(Scripts.digest(script));

		scheduleBy(script, Duration.ofMillis(200));

		assertThat(this.proxy.cuts()).isOne();
		assertThat(this.trial.ledger().accepted()).containsExactly("m");
		assertHandledOnce("m");
	}

	@Test
	@DisplayName("row 2: when each reply to schedule is lost, the outcome is unknown and the message fires once")
	void messageFiresOnceWhenEveryReplyIsLost() {
		this.trial.startWarm();
		this.proxy.cutRepliesTo(Scripts.digest("schedule-new"));

		this.trial.schedule("m", Duration.ofMillis(200));

		assertThat(this.proxy.cuts()).isGreaterThan(1);
		this.proxy.pass();
		assertThat(this.trial.ledger().unknown()).containsOnlyKeys("m");
		this.trial.ledger().await(1 + 1);
		assertHandledOnce("m");
	}

	/** Schedules the message m with a call that uses this script first. */
	private void scheduleBy(String script, Duration delay) {
		if (script.equals("schedule")) {
			this.trial.scheduleChosen("m", delay);
		}
		else {
			this.trial.schedule("m", delay);
		}
	}

	@Test
	@DisplayName("row 3: calls that time out and are executed later fire once each")
	void callsThatTimeOutAndRunLaterFireOnce() throws InterruptedException {
		this.trial
			.with("spring.data.redis.timeout=500ms", "delayqueue.schedule.deadline=1m",
					"delayqueue.defaults.done-window-of-generated-ids=2m")
			.startWarm();
		ExecutorService callers = Executors.newFixedThreadPool(4);

		this.redis.freeze();
		for (int i = 0; i < 4; i++) {
			String name = "m-" + i;
			callers.execute(() -> this.trial.schedule(name, Duration.ZERO));
		}
		callers.shutdown();
		// Longer than one timeout, so that each call is repeated at least once
		assertThat(callers.awaitTermination(1500, TimeUnit.MILLISECONDS)).isFalse();
		this.redis.resume();

		assertThat(callers.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
		assertThat(this.trial.ledger().accepted()).hasSize(4);
		this.trial.assertAllIsWell(this.redis);
		assertThat(this.trial.ledger().runs()).hasSize(4 + 1);
	}

	@Test
	@DisplayName("row 9: a lost reply to acknowledge does not bring the message back")
	void lostReplyToAcknowledgeDoesNotRedeliver() {
		this.trial.startWarm();
		this.proxy.cutNextReplyTo(Scripts.digest("acknowledge"));

		this.trial.schedule("m", Duration.ZERO);

		assertHandledOnce("m");
		assertThat(this.proxy.cuts()).isOne();
	}

	@Test
	@DisplayName("row 10: a lost reply to retry moves and counts once")
	void lostReplyToRetryMovesAndCountsOnce() {
		this.trial.startWarm();
		this.trial.worker().behaviour = (message) -> {
			if (message.attempt() < 3) {
				throw new IllegalStateException("attempt " + message.attempt());
			}
		};
		this.trial.schedule("first", Duration.ZERO);
		this.trial.awaitGone(Worker.QUEUE, this.trial.id("first"));
		this.proxy.cutNextReplyTo(Scripts.digest("retry"));

		this.trial.schedule("m", Duration.ZERO);

		this.trial.awaitGone(Worker.QUEUE, this.trial.id("m"));
		assertThat(this.proxy.cuts()).isOne();
		assertThat(this.trial.ledger().runsOf("m")).extracting(Ledger.Run::attempt).containsExactly(1, 2, 3);
		this.trial.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 10: a lost reply to dead-letter dead-letters the message once")
	void lostReplyToDeadLetterDeadLettersOnce() {
		this.trial.with("delayqueue.defaults.max-attempts=1").startWarm();
		this.trial.worker().behaviour = (message) -> {
			throw new IllegalStateException("broken");
		};
		this.trial.schedule("first", Duration.ZERO);
		this.trial.awaitState(this.trial.id("first"), MessageState.DEAD);
		this.proxy.cutNextReplyTo(Scripts.digest("dead-letter"));

		this.trial.schedule("m", Duration.ZERO);

		MessageSnapshot dead = this.trial.awaitState(this.trial.id("m"), MessageState.DEAD);
		Awaitility.await().until(() -> this.trial.failing().isEmpty());
		assertThat(this.proxy.cuts()).isOne();
		assertThat(dead.attempts()).isOne();
		assertThat(this.trial.ledger().runsOf("m")).hasSize(1);
		assertThat(this.redis.call("ZCARD", this.trial.key("dead"))).isEqualTo(2L);
		assertThat(this.redis.call("XLEN", this.trial.key("ready"))).isEqualTo(0L);
		assertThat(pending()).isZero();
	}

	@Test
	@DisplayName("row 11: messages of a lost read are redelivered without a counted crash, before their lease ends")
	void messagesOfALostReadAreRedelivered() {
		this.trial.with("delayqueue.defaults.visibility-timeout=9s").startWarm();
		this.proxy.cutRepliesTo(Scripts.digest("read"));
		this.trial.schedule("m", Duration.ZERO);
		Awaitility.await().atMost(Trial.LONG_ENOUGH).until(() -> pending() == 1);
		this.proxy.pass();

		List<Ledger.Run> runs = this.trial.ledger().await(2);

		assertThat(this.proxy.cuts()).isPositive();
		assertThat(runs.get(1).attempt()).isOne();
		assertHandledOnce("m");
	}

	@Test
	void messagesOfALostReadAreRedeliveredHoweverManyOthersArePending() {
		CountDownLatch go = new CountDownLatch(1);
		int held = 510;
		this.trial.with("delayqueue.defaults.visibility-timeout=9s", "delayqueue.defaults.concurrency=" + (held + 10))
			.startWarm();
		this.trial.worker().behaviour = (message) -> {
			if (message.payload().startsWith("held")) {
				go.await();
			}
		};
		this.trial.scheduleAll("held", held, Duration.ZERO);
		this.trial.ledger().await(1 + held);
		this.proxy.cutRepliesTo(Scripts.digest("read"));
		this.trial.schedule("m", Duration.ZERO);
		Awaitility.await().atMost(Trial.LONG_ENOUGH).until(() -> pending() == held + 1);
		this.proxy.pass();

		List<Ledger.Run> runs = this.trial.ledger().await(1 + held + 1);

		assertThat(this.proxy.cuts()).isPositive();
		assertThat(runs.get(1 + held).attempt()).isOne();
		go.countDown();
		assertHandledOnce("m");
	}

	private long pending() {
		return (Long) ((List<?>) this.redis.call("XPENDING", this.trial.key("ready"), "consumers")).get(0);
	}

	private void assertHandledOnce(String name) {
		this.trial.assertAllIsWell(this.redis);
		assertThat(this.trial.ledger().runsOf(name)).hasSize(1);
		assertThat(this.trial.ledger().doubled()).isZero();
	}

}
