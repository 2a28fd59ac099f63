package io.delayqueue.fault;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.CancelResult;
import io.delayqueue.MessageKey;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.OwnRedis;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** Two callers and the consumers compete for the same messages. */
@Tag("slow")
class RaceIntegrationTests {

	@RegisterExtension
	final OwnRedis own = new OwnRedis("delayqueue.defaults.max-attempts=1");

	private final RedisServer redis = this.own.redis();

	private final FaultHarness harness = this.own.harness();

	@Test
	@DisplayName("row 50: of two cancels and a delivery exactly one wins, and the answers are true")
	void exactlyOneOfTwoCancelsAndADeliveryWins() {
		raceToCancel(500);
	}

	@Test
	@DisplayName("row 50: of two cancels and a delivery exactly one wins, ten thousand times")
	void exactlyOneOfTwoCancelsAndADeliveryWinsEveryTime() {
		raceToCancel(10_000);
	}

	private void raceToCancel(int messages) {
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> LockSupport.parkNanos(1_000_000);
		this.harness.scheduleAll("m", messages, Duration.ZERO);
		// The caller begins at the other end, so that callers and consumers meet
		List<String> ids = ids(messages).sorted(Comparator.reverseOrder()).toList();

		List<Map<String, CancelResult>> answers = twice(ids, (id) -> this.harness.queue().cancel(Worker.QUEUE, id));

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.redis.call("HLEN", this.harness.key("messages"))).isEqualTo(0L));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.redis.call("XLEN", this.harness.key("ready"))).isEqualTo(0L));
		Map<String, Integer> runs = new ConcurrentHashMap<>();
		this.harness.ledger().runs().forEach((run) -> runs.merge(run.id(), 1, Integer::sum));
		int cancelled = 0;
		for (String id : ids) {
			List<CancelResult> results = answers.stream().map((one) -> one.get(id)).sorted().toList();
			int ran = runs.getOrDefault(id, 0);
			assertThat(ran).as(id + " " + results).isLessThanOrEqualTo(1);
			assertThat(results.stream().filter((answer) -> answer != CancelResult.NOT_FOUND)).as(id).hasSizeLessThan(2);
			if (results.contains(CancelResult.CANCELLED)) {
				cancelled++;
				assertThat(ran).as(id + " " + results).isZero();
			}
			else if (!results.contains(CancelResult.IN_FLIGHT)) {
				assertThat(ran).as(id + " " + results).isOne();
			}
		}
		assertThat(cancelled).as("each side wins some").isBetween(1, messages - 1);
	}

	@Test
	@DisplayName("row 50: of two redrives exactly one wins, and a redriven message is delivered once")
	void exactlyOneOfTwoRedrivesWins() {
		raceToRedrive(200);
	}

	@Test
	@DisplayName("row 50: of two redrives exactly one wins, ten thousand times")
	void exactlyOneOfTwoRedrivesWinsEveryTime() {
		raceToRedrive(10_000);
	}

	private void raceToRedrive(int messages) {
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> {
			throw new IllegalArgumentException();
		};
		DelayQueueAdmin admin = this.harness.bean(DelayQueueAdmin.class);
		this.harness.scheduleAll("m", messages, Duration.ZERO);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(
					() -> assertThat(this.redis.call("ZCARD", this.harness.key("dead"))).isEqualTo((long) messages));
		this.harness.worker().behaviour = (message) -> {
		};
		List<String> ids = ids(messages).toList();

		List<Map<String, Boolean>> answers = twice(ids, (id) -> admin.redrive(MessageKey.of(Worker.QUEUE, id)));

		assertThat(ids).allSatisfy(
				(id) -> assertThat(answers.stream().filter((one) -> one.getOrDefault(id, false))).as(id).hasSize(1));
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).hasSize(2 * messages + 1);
	}

	private Stream<String> ids(int messages) {
		return IntStream.range(0, messages).mapToObj((i) -> this.harness.id("m-" + String.format("%05d", i)));
	}

	/**
	 * Calls the same operation on all ids in two threads at once; returns the answers of
	 * each.
	 */
	private static <T> List<Map<String, T>> twice(List<String> ids, Function<String, T> operation) {
		List<CompletableFuture<Map<String, T>>> both = IntStream.range(0, 2)
			.mapToObj((i) -> CompletableFuture.supplyAsync(() -> {
				Map<String, T> answers = new ConcurrentHashMap<>();
				ids.forEach((id) -> answers.put(id, operation.apply(id)));
				return answers;
			}))
			.toList();
		return both.stream().map(CompletableFuture::join).toList();
	}

}
