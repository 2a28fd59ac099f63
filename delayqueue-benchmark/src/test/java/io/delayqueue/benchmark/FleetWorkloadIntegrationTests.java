package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/** Runs the workloads of several applications in a small size. */
@Tag("slow")
class FleetWorkloadIntegrationTests {

	private static final FleetSize SMALL = new FleetSize(List.of(2), 2, 3, 500, 3);

	@Test
	void severalApplicationsHandleEachMessageOnce() throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			assertThat(lines(new FleetWorkload(SMALL).run(Contender.STARTER, Target.of(server))))
				.hasEntrySatisfying("2 applications, 100/s, commands sent", (sent) -> assertThat(sent).isPositive())
				.hasEntrySatisfying("2 applications, burst, of all permits",
						(share) -> assertThat(share).isBetween(0.0, 1.0));
		}
	}

	@Test
	void idleApplicationsAreMeasuredOnAServerAndInACluster() throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			assertThat(lines(new IdleFleetWorkload(SMALL).run(Contender.STARTER, Target.of(server)))).containsKeys(
					"2 applications, 3 queues, commands sent /s", "empty cluster, % of a core",
					"cluster, 1 x 36 partitions, % of a core", "cluster, 2 x 36 partitions, % of a core");
		}
	}

	@Test
	void commandsThatClientsSendAreCountedAndThoseOfScriptsAreNot() throws InterruptedException {
		int count = 300;
		Ledger ledger = new Ledger(count);
		try (RedisServer server = RedisServer.builder().start();
				Peer fleet = new StarterPeer(Target.of(server), 2, (application) -> ledger::handle,
						"spring.data.redis.client-type=jedis");
				CommandLog log = CommandLog.of(server)) {
			Cost before = Server.cost(server);
			log.clear();
			for (int i = 0; i < count; i++) {
				fleet.schedule(new Message(i, System.currentTimeMillis() + 100));
			}
			ledger.await(Duration.ofMinutes(1));
			Cost cost = Server.cost(server).since(before);
			assertThat(cost.sent()).isCloseTo(log.count(), withinPercentage(10));
			assertThat(cost.carriedOut()).isGreaterThan(3 * cost.sent());
		}
	}

	private static Map<String, Double> lines(List<Measured> measured) {
		return measured.stream().collect(Collectors.toMap(Measured::line, Measured::value));
	}

}
