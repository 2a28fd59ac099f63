package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;

/**
 * Workload W10: several idle applications. On one server, the workload measures the
 * commands that all applications send. In a cluster of three masters, the workload
 * measures the additional work of Redis compared with a cluster without applications.
 */
final class IdleFleetWorkload implements Workload {

	private static final int PARTITIONS = 12;

	private static final int SETTLE_SECONDS = 10;

	/** Until then, owners of partitions do work that they do only after a start. */
	private static final int STARTED_SECONDS = 60;

	/** The default {@code cluster-node-timeout} of Redis. */
	private static final Duration NODE_TIMEOUT = Duration.ofSeconds(15);

	private final FleetSize size;

	IdleFleetWorkload(FleetSize size) {
		this.size = size;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		measured.add(onOneServer(target.server()));
		try (RedisCluster cluster = RedisCluster.builder().replicas(0).nodeTimeout(NODE_TIMEOUT).start()) {
			TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
			Cost empty = costOfSecond(cluster);
			measured.add(new Measured("empty cluster, % of a core", percent(empty)));
			for (int applications : new int[] { 1, this.size.members() }) {
				measured.addAll(inCluster(cluster, applications, empty));
			}
		}
		return measured;
	}

	private Measured onOneServer(RedisServer server) throws InterruptedException {
		Applications applications = start(this.size.members(), StarterPeer.at(server));
		try {
			TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
			try (CommandLog log = CommandLog.of(server)) {
				TimeUnit.SECONDS.sleep(this.size.seconds());
				return new Measured("%d applications, %d queues, commands sent /s".formatted(this.size.members(),
						this.size.queues()), (double) log.count() / this.size.seconds());
			}
		}
		finally {
			applications.close();
		}
	}

	private List<Measured> inCluster(RedisCluster cluster, int count, Cost empty) throws InterruptedException {
		cluster.nodes().forEach((node) -> node.call("FLUSHALL"));
		Applications applications = start(count,
				"spring.data.redis.cluster.nodes=" + String.join(",", cluster.addresses()),
				"delayqueue.defaults.partitions=" + PARTITIONS);
		try {
			TimeUnit.SECONDS.sleep(STARTED_SECONDS);
			Cost cost = costOfSecond(cluster).since(empty);
			String line = "cluster, %d x %,d partitions, ".formatted(count, this.size.queues() * PARTITIONS);
			return List.of(new Measured(line + "commands sent /s", cost.sent()),
					new Measured(line + "% of a core", percent(cost)));
		}
		finally {
			applications.close();
		}
	}

	private Applications start(int count, String... properties) {
		return new Applications(count, (number) -> IdleWorkload.start(this.size.queues(), properties));
	}

	private Cost costOfSecond(RedisCluster cluster) throws InterruptedException {
		Cost before = cost(cluster);
		TimeUnit.SECONDS.sleep(this.size.seconds());
		return cost(cluster).since(before).dividedBy(this.size.seconds());
	}

	private static Cost cost(RedisCluster cluster) {
		return cluster.nodes().stream().map(Server::cost).reduce(Cost::plus).orElseThrow();
	}

	private static double percent(Cost ofSecond) {
		return ofSecond.cpuMicros() / 1e4;
	}

}
