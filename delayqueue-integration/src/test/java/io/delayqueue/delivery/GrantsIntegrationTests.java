package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import io.delayqueue.RateLimit;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.Leases;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The grants of a reader when replies are lost, and the end of its first grant.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
@ExtendWith(OutputCaptureExtension.class)
class GrantsIntegrationTests {

	private static final RateLimit RATE = new RateLimit(10, Duration.ofHours(1), 10);

	/** The last call of a reader, with the time of its grant, us. */
	private static final Pattern GRANT = Pattern.compile("\\d+\\|\\d+\\|\\d+\\|(\\d+)\\|\\d+");

	private static final Duration SLOW = Duration.ofMillis(20);

	private static final long VALIDITY_MICROS = Budgets.VALIDITY.toNanos() / 1000;

	/** The place of an argument of the script behind its digest and keys. */
	private static final int IN_FLIGHT = 6;

	private static final int UNUSED = 7;

	private static FaultProxy proxy;

	private static ActorBench bench;

	private final Partition partition = bench.partition();

	private final TaskPool tasks = new TaskPool();

	private final RedisGate gate = new RedisGate(this.tasks, null);

	@BeforeAll
	static void start() {
		proxy = FaultProxy.to(SharedRedis.get().host(), SharedRedis.get().port());
		bench = new ActorBench(proxy.uri());
	}

	@AfterAll
	static void stop() {
		bench.close();
		proxy.close();
	}

	@AfterEach
	void closeGate() {
		this.tasks.close();
		this.gate.close();
		proxy.delay(Duration.ZERO);
	}

	@Test
	void tokensAreReturnedOnceIfTheReplyIsLost() {
		Grants grants = grants(new FlowSettings(RATE, 0));
		assertThat(grants.take(3)).isEqualTo(3);

		loseReply(() -> grants.report(false));

		grants.take(1);
		assertThat(arguments(UNUSED)).containsExactly("0", "3", "0");
	}

	@Test
	void tokensOfAnEarlierGrantAreNotInFlightAfterALostReply() {
		Grants grants = grants(new FlowSettings(RATE, 8));
		assertThat(grants.take(3)).isEqualTo(3);

		loseReply(() -> grants.take(2));
		grants.lost();

		grants.take(1);
		assertThat(arguments(IN_FLIGHT)).containsExactly("0", "0", "0");
	}

	@Test
	void permitsAreReturnedAfterALostReply() {
		Grants grants = grants(new FlowSettings(null, 2));
		grants.take(1);
		grants.report(false);

		loseReply(() -> grants.take(2));
		assertThat(bench.call("HGET", this.partition, "budget", "in-flight")).isEqualTo("2");
		grants.report(false);

		assertThat(bench.call("HGET", this.partition, "budget", "in-flight")).isEqualTo("0");
	}

	@Test
	void aGrantEndsWhenRedisEndsIt() {
		Grants grants = grants(new FlowSettings(null, 8));
		proxy.delay(SLOW);

		grants.take(3);

		assertThat(grants.allowance().validUntilMicros()).isEqualTo(grantedMicros() + VALIDITY_MICROS);
	}

	@Test
	void theFirstGrantOfAnotherPartitionEndsAtTheLatestWhenRedisEndsIt() {
		Grants grants = grants(new FlowSettings(null, 8), new Partition(this.partition.queue(), 1));
		proxy.delay(SLOW);

		grants.take(3);

		assertThat(grants.allowance().validUntilMicros()).isPositive()
			.isLessThanOrEqualTo(grantedMicros() + VALIDITY_MICROS - SLOW.toNanos() / 1000);
	}

	@Test
	void aReaderThatWaitsForATokenAsksAtItsTurnOnly() {
		Grants grants = grants(new FlowSettings(new RateLimit(1, Duration.ofHours(1), 1), 0));
		assertThat(grants.take(1)).isEqualTo(1);
		grants.delivered(new Read(List.of(), 1, Read.State.OPEN), 1);

		assertThat(grants.take(1)).isZero();

		assertThat(grants.retryNanos()).isPositive();
		assertThat(grants.take(1)).isZero();
		assertThat(arguments(UNUSED)).as("two calls").hasSize(2);
	}

	@Test
	void permitsAreUsedAgainWithoutACallUntilTheGrantEnds() {
		Grants grants = grants(new FlowSettings(null, 2));
		long began = System.nanoTime();
		for (int read = 0; read < 500; read++) {
			assertThat(grants.take(10)).isEqualTo(2);
		}

		long ended = (System.nanoTime() - began) / Budgets.VALIDITY.toNanos();
		assertThat(arguments(UNUSED).size()).isLessThanOrEqualTo((int) ended + 1);
	}

	@Test
	void aReaderReadsAgainWhenOneOfItsMessagesIsSettled() {
		bench.schedule(this.partition, "one", Duration.ZERO);
		bench.schedule(this.partition, "two", Duration.ZERO);
		bench.sweep(this.partition);
		List<DeliveryTask> tasks = bench.take(this.partition, TestActors.CONSUMER)
			.stream()
			.map((entry) -> TestActors.task(this.partition, entry))
			.toList();
		ConsumerState state = state(new FlowSettings(null, 2), this.partition);
		Grants grants = grants(state, this.partition);
		assertThat(grants.take(10)).isEqualTo(2);
		TestActors.hold(state, tasks);
		assertThat(grants.take(10)).isZero();

		state.settling(tasks.get(0));
		state.settled(tasks.get(0));
		grants.report(true);

		assertThat(grants.retryNanos()).isNotPositive();
		assertThat(grants.take(10)).isEqualTo(1);
	}

	@Test
	void manyReadsInARowThatArriveTooLateAreLoggedOnce(CapturedOutput output) {
		Grants grants = grants(new FlowSettings(null, 2));
		for (int read = 1; read < 20; read++) {
			readLate(grants, read);
		}
		assertThat(output).doesNotContain("permission has ended");

		for (int read = 20; read < 40; read++) {
			readLate(grants, read);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("permission has ended"))).hasSize(1);
	}

	/** Otherwise the reader would call again at once, as long as it may read nothing. */
	@Test
	void aCallThatReadsNothingIsNotLate() {
		Grants grants = grants(new FlowSettings(null, 2));
		assertThat(grants.take(1)).isOne();
		grants.allowance();
		grants.delivered(new Read(List.of(), 1, Read.State.OPEN), 0);

		assertThat(grants.take(0)).isZero();
		grants.delivered(new Read(List.of(), 100_000_000_000_000_000L, Read.State.PAUSED), 0);

		assertThat(grants.isLate()).isFalse();
	}

	/** A read that reaches Redis years after its grant and the last read. */
	private static void readLate(Grants grants, int read) {
		assertThat(grants.take(1)).isOne();
		grants.allowance();
		grants.delivered(new Read(List.of(), (100L + read) * 100_000_000_000_000L, Read.State.OPEN), 0);
	}

	private long grantedMicros() {
		return GRANT.matcher(bench.call("HVALS", this.partition, "budget"))
			.results()
			.mapToLong((grant) -> Long.parseLong(grant.group(1)))
			.max()
			.orElseThrow();
	}

	private static void loseReply(Runnable call) {
		proxy.cutNextReplyTo(Scripts.digest("grant"));
		assertThatExceptionOfType(StoreException.class).isThrownBy(call::run);
	}

	private List<String> arguments(int place) {
		return bench.scripts("grant", this.partition).stream().map((arguments) -> arguments.get(place)).toList();
	}

	private Grants grants(FlowSettings flow) {
		return grants(flow, this.partition);
	}

	private Grants grants(FlowSettings flow, Partition of) {
		return grants(state(flow, of), of);
	}

	private ConsumerState state(FlowSettings flow, Partition of) {
		QueueSettings settings = new QueueSettings(of.queue(), 2, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), TestActors.retry(3), GroupSettings.NONE,
				ExpirySettings.NEVER, flow, EndSettings.NONE);
		return TestActors.state(settings, this.gate);
	}

	private Grants grants(ConsumerState state, Partition of) {
		RedisCalls calls = bench.calls();
		Signals signals = new Signals();
		return new Grants(state.partition(of), state, new Budgets(calls), new Leases(calls),
				bench.wakeups(signals, bench.fleet(signals, this.gate)), this.tasks);
	}

}
