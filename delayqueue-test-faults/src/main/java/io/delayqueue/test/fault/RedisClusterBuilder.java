package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisBinary;
import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RedisServerBuilder;

/** Configures a {@link RedisCluster}. Not safe for use by several threads. */
public final class RedisClusterBuilder {

	private static final int SLOTS = 16_384;

	private Consumer<RedisServerBuilder> settings = (server) -> {
	};

	private int masters = 3;

	private int replicas = 3;

	private AppendOnly appendOnly = AppendOnly.OFF;

	private Duration nodeTimeout = Duration.ofSeconds(2);

	RedisClusterBuilder() {
	}

	/**
	 * Sets the number of masters, among which the slots are divided evenly.
	 * @param masters 1 or more; a failover needs 3
	 * @return this builder
	 */
	public RedisClusterBuilder masters(int masters) {
		this.masters = masters;
		return this;
	}

	/**
	 * Sets the number of replicas of the whole cluster, which are distributed evenly
	 * among the masters.
	 * @param replicas 0 or more
	 * @return this builder
	 */
	public RedisClusterBuilder replicas(int replicas) {
		this.replicas = replicas;
		return this;
	}

	/**
	 * Sets the persistence of each node.
	 * @param appendOnly {@link AppendOnly#OFF} by default
	 * @return this builder
	 */
	public RedisClusterBuilder appendOnly(AppendOnly appendOnly) {
		this.appendOnly = appendOnly;
		return this;
	}

	/**
	 * Sets the time after which a node that does not answer counts as failed ({@code
	 * cluster-node-timeout}).
	 * @param nodeTimeout 2 s by default
	 * @return this builder
	 */
	public RedisClusterBuilder nodeTimeout(Duration nodeTimeout) {
		this.nodeTimeout = nodeTimeout;
		return this;
	}

	/**
	 * Sets the server program.
	 * @param binary the program, instead of the result of {@link RedisBinary#find()}
	 * @return this builder
	 */
	public RedisClusterBuilder binary(RedisBinary binary) {
		this.settings = this.settings.andThen((server) -> server.binary(binary));
		return this;
	}

	/**
	 * Adds a line to the configuration of each node.
	 * @param name the directive
	 * @param values the arguments of the directive, unquoted
	 * @return this builder
	 */
	public RedisClusterBuilder setting(String name, Object... values) {
		this.settings = this.settings.andThen((server) -> server.setting(name, values));
		return this;
	}

	/**
	 * Creates the cluster and starts it.
	 * @return a cluster that is healthy and whose replicas are in sync
	 * @throws IllegalArgumentException if a number is out of bounds
	 * @throws RedisNotAvailableException if a step of the start takes more than 2 minutes
	 */
	public RedisCluster start() {
		if (this.masters < 1 || this.replicas < 0) {
			throw new IllegalArgumentException("masters must be 1 or more and replicas 0 or more, but are "
					+ this.masters + " and " + this.replicas);
		}
		RedisCluster cluster = new RedisCluster(
				IntStream.range(0, this.masters + this.replicas).mapToObj((i) -> node()).toList());
		try {
			cluster.nodes().parallelStream().forEach(RedisServer::start);
			form(cluster);
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	private RedisServer node() {
		RedisServerBuilder node = Replication.server()
			.appendOnly(this.appendOnly)
			.setting("cluster-enabled", "yes")
			.setting("cluster-config-file", "nodes.conf")
			.setting("cluster-node-timeout", this.nodeTimeout.toMillis());
		this.settings.accept(node);
		return node.build();
	}

	/** Joins single servers to a cluster, as {@code redis-cli --cluster create} does. */
	private void form(RedisCluster cluster) {
		List<RedisServer> nodes = cluster.nodes();
		int masters = this.masters;
		IntStream.range(0, nodes.size()).forEach((i) -> {
			nodes.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
			if (i < masters) {
				nodes.get(i)
					.call("CLUSTER", "ADDSLOTSRANGE", Integer.toString(SLOTS * i / masters),
							Integer.toString(SLOTS * (i + 1) / masters - 1));
			}
			if (i > 0) {
				nodes.get(0).call("CLUSTER", "MEET", nodes.get(i).host(), Integer.toString(nodes.get(i).port()));
			}
		});
		await(cluster, "did not meet",
				(node) -> RedisCluster.view(node)
					.stream()
					.filter((other) -> !other.flags().contains("handshake"))
					.count() == nodes.size());
		for (int i = masters; i < nodes.size(); i++) {
			Object masterId = nodes.get(i % masters).call("CLUSTER", "MYID");
			nodes.get(i).call("CLUSTER", "REPLICATE", String.valueOf(masterId));
		}
		await(cluster, "did not agree",
				(node) -> RedisCluster.view(node).stream().filter(ClusterNode::isReplica).count() == this.replicas
						&& cluster.isHealthy(node));
		nodes.subList(masters, nodes.size()).forEach((replica) -> Replication.awaitInSync(replica, Await.LIMIT));
	}

	private static void await(RedisCluster cluster, String what, Predicate<RedisServer> condition) {
		Await.until(Await.LIMIT, () -> "The nodes " + what + cluster.describeNodes(),
				() -> cluster.nodes().stream().allMatch(condition));
	}

}
