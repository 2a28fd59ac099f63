package io.delayqueue.fault;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One node of three is unreachable, and affects only its own partitions. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class ClusterNodeOutageIntegrationTests {

	private static RedisCluster cluster;

	private FaultHarness harness;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.builder()
			.replicas(0)
			.nodeTimeout(Duration.ofSeconds(15))
			.setting("cluster-require-full-coverage", "no")
			.start();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@BeforeEach
	void newTrial() {
		this.harness = new FaultHarness(URI.create("redis://unused"), "delayqueue.defaults.visibility-timeout=6s")
			.onCluster(cluster.addresses());
	}

	@AfterEach
	void stopAll() {
		cluster.nodes().stream().filter(RedisServer::isFrozen).forEach(RedisServer::resume);
		this.harness.close();
	}

	@Test
	@DisplayName("row 4: a command that a cluster driver resends is executed once")
	void commandResentByTheDriverIsExecutedOnce() {
		this.harness.with("delayqueue.schedule.deadline=20s", "delayqueue.defaults.done-window-of-generated-ids=40s")
			.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1 && message.payload().endsWith("3")) {
				throw new IllegalStateException("again");
			}
		};
		RedisServer owner = cluster.masterOf(this.harness.key("messages"));
		Load load = this.harness.load(100);
		this.harness.ledger().await(50);

		owner.freeze();
		Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		owner.resume();

		int before = this.harness.ledger().accepted().size();
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.ledger().accepted().size() >= before + 50);
		load.close();
		assertThat(this.harness.ledger().refused()).isEmpty();
		this.harness.assertAllIsWell(owner);
		assertThat(this.harness.ledger().runs()).extracting((run) -> run.id() + "/" + run.attempt())
			.doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("a queue whose node hangs does not delay another queue")
	void queueWhoseNodeHangsDoesNotDelayAnother() {
		RedisServer node = cluster.masterOf(this.harness.key("messages"));
		assertThat(cluster.masterOf(this.harness.key(Worker.OTHER_QUEUE, "messages"))).isNotSameAs(node);
		this.harness.startWarm();
		Ledger other = this.harness.worker().other;
		Load load = this.harness.load(Worker.OTHER_QUEUE, other, 50);
		other.await(50);

		node.freeze();
		other.await(other.runs().size() + 200);
		load.close();
		other.awaitAccepted();
		node.resume();

		assertThat(other.refused()).isEmpty();
		assertThat(other.unknown()).isEmpty();
		other.assertTrue();
		this.harness.schedule("m", Duration.ZERO);
		this.harness.assertAllIsWell(node);
	}

	@Test
	@DisplayName("with a node down, scheduleAll fails for the messages of its partitions only")
	void scheduleAllFailsOnlyForThePartitionsOfADownNode() {
		scheduleAllWithout(RedisServer::stop, RedisServer::start);
	}

	@Test
	@DisplayName("with a hanging node, scheduleAll fails for the messages of its partitions only")
	void scheduleAllFailsOnlyForThePartitionsOfAHangingNode() {
		scheduleAllWithout(RedisServer::freeze, RedisServer::resume);
	}

	private void scheduleAllWithout(Consumer<RedisServer> end, Consumer<RedisServer> begin) {
		DelayQueueOperations queue = this.harness
			.with("delayqueue.defaults.partitions=12", "delayqueue.schedule.deadline=2s")
			.application()
			.producer();
		List<ScheduleRequest> requests = IntStream.range(0, 240)
			.mapToObj((i) -> ScheduleRequest.to("spread").payload("p").id("m-" + i).delay(Duration.ofDays(1)))
			.toList();
		queue.scheduleAll(requests);
		requests.forEach((request) -> queue.cancel("spread", request.id().orElseThrow()));
		RedisServer directory = cluster.masterOf(this.harness.application().prefix() + ":queues");
		RedisServer node = cluster.nodes().stream().filter((one) -> one != directory).findFirst().orElseThrow();
		end.accept(node);
		try {
			List<ScheduleAnswer> answers = queue.scheduleAll(IntStream.range(0, 240)
				.mapToObj((i) -> ScheduleRequest.to("spread").payload("p").id("n-" + i).delay(Duration.ofDays(1)))
				.toList());

			long accepted = answers.stream().filter(ScheduleAnswer::isAccepted).count();
			assertThat(answers).extracting(ScheduleAnswer::id)
				.containsExactlyElementsOf(IntStream.range(0, 240).mapToObj((i) -> "n-" + i).toList());
			long there = cluster.nodes().stream().filter((one) -> one != node).mapToLong(this::messages).sum();
			assertThat(accepted).as("accepted").isEqualTo(there);
			// The unreachable node has about a third of the partitions
			assertThat(accepted).isGreaterThan(100).isLessThan(220);
		}
		finally {
			begin.accept(node);
			cluster.awaitHealthy(FaultHarness.LONG_ENOUGH);
		}
	}

	private long messages(RedisServer node) {
		return ((List<?>) node.call("KEYS", this.harness.application().prefix() + ":{spread:*}:messages")).stream()
			.mapToLong((key) -> (Long) node.call("HLEN", String.valueOf(key)))
			.sum();
	}

}
