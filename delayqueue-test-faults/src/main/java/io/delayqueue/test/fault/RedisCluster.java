package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;

/**
 * A Redis Cluster on the loopback interface. Each node is a {@link RedisServer} that a
 * test can kill, freeze and restart. <pre>
 * try (RedisCluster cluster = RedisCluster.builder().start()) {
 *     cluster.masterOf("{orders:0}:messages").kill();
 *     cluster.awaitHealthy(Duration.ofSeconds(20));
 * }
 * </pre>
 * <p>
 * After the start of the cluster, every node reports {@code cluster_state:ok} and lists
 * all other nodes and their roles, and every replica is in sync with its master. Each
 * call reads the current masters from the cluster, because a failover changes them. A
 * node that does not run or is frozen is not asked.
 * <p>
 * Safe for use by several threads.
 */
public final class RedisCluster implements AutoCloseable {

	private final List<RedisServer> nodes;

	RedisCluster(List<RedisServer> nodes) {
		this.nodes = List.copyOf(nodes);
	}

	/**
	 * {@return a builder that configures a cluster, by default with three masters and
	 * three replicas}
	 */
	public static RedisClusterBuilder builder() {
		return new RedisClusterBuilder();
	}

	/**
	 * Returns all nodes of the cluster, running or not; the initial masters come first.
	 * @return an immutable list
	 */
	public List<RedisServer> nodes() {
		return this.nodes;
	}

	/**
	 * Returns the addresses of all nodes for clients.
	 * @return each address as {@code 127.0.0.1:port}
	 */
	public List<String> addresses() {
		return this.nodes.stream().map((node) -> node.host() + ":" + node.port()).toList();
	}

	/**
	 * Returns the current masters of the cluster.
	 * @return the nodes that the cluster lists as masters and not as failed, in the order
	 * of {@link #nodes()}
	 */
	public List<RedisServer> masters() {
		return servers(view().stream().filter(ClusterNode::isMaster));
	}

	/**
	 * Returns the master that currently owns a key.
	 * @param key the key; if the key contains braces, only the part between them
	 * determines the slot
	 * @return the master of the key's slot
	 * @throws IllegalStateException if the key's slot has no working master, as between a
	 * failure and the failover
	 */
	public RedisServer masterOf(String key) {
		return server(ownerOf(key).port());
	}

	/**
	 * Returns the replicas of the master that currently owns a key.
	 * @param key the key
	 * @return the replicas that the cluster does not list as failed
	 * @throws IllegalStateException if the key's slot has no working master
	 */
	public List<RedisServer> replicasOf(String key) {
		String masterId = ownerOf(key).id();
		return servers(view().stream().filter((node) -> node.isReplica() && node.masterId().equals(masterId)));
	}

	/**
	 * Returns the hash slot of a key.
	 * @param key the key
	 * @return 0 to 16383
	 */
	public int slotOf(String key) {
		try (RespClient client = anyNode().client()) {
			return Integer.parseInt(client.text("CLUSTER", "KEYSLOT", key));
		}
	}

	/**
	 * Promotes a replica to replace its working master, as an operator does for
	 * maintenance, and waits until all working nodes list the new master.
	 * @param replica a replica whose master works
	 * @param limit the longest wait
	 * @throws RedisNotAvailableException if the replica does not become master in time
	 */
	public void failOver(RedisServer replica, Duration limit) {
		replica.call("CLUSTER", "FAILOVER");
		Await.until(limit, () -> replica + " did not become a master", () -> this.nodes.stream()
			.filter(Replication::isResponsive)
			.allMatch((node) -> view(node).stream()
				.anyMatch((other) -> other.port() == replica.port() && other.isMaster() && !other.slots().isEmpty())));
	}

	/**
	 * Moves a slot to another master while the cluster works, key by key, as
	 * administration tools do; see https://redis.io/docs/latest/commands/cluster-setslot/
	 * @param slot the slot, 0 to 16383
	 * @param to the new owner; nothing is done if this master owns the slot already
	 * @param pause the pause before each key, and before the slot changes its owner
	 * @return the number of moved keys
	 * @throws RespException if a node refuses a command of the move
	 */
	public int moveSlot(int slot, RedisServer to, Duration pause) {
		ClusterNode owner = ownerOf(slot);
		RedisServer from = server(owner.port());
		if (from == to) {
			return 0;
		}
		int moved = 0;
		String number = Integer.toString(slot);
		try (RespClient source = from.client(); RespClient target = to.client()) {
			String targetId = target.text("CLUSTER", "MYID");
			target.call("CLUSTER", "SETSLOT", number, "IMPORTING", owner.id());
			source.call("CLUSTER", "SETSLOT", number, "MIGRATING", targetId);
			while (source.call("CLUSTER", "GETKEYSINSLOT", number, "1") instanceof List<?> keys && !keys.isEmpty()) {
				LockSupport.parkNanos(pause.toNanos());
				source.call("MIGRATE", to.host(), Integer.toString(to.port()), String.valueOf(keys.get(0)), "0",
						"5000");
				moved++;
			}
			LockSupport.parkNanos(pause.toNanos());
			target.call("CLUSTER", "SETSLOT", number, "NODE", targetId);
			source.call("CLUSTER", "SETSLOT", number, "NODE", targetId);
			masters().stream()
				.filter((node) -> node != from && node != to)
				.forEach((node) -> node.call("CLUSTER", "SETSLOT", number, "NODE", targetId));
		}
		return moved;
	}

	/**
	 * Moves all slots of a master to another master while the cluster works, as a whole;
	 * see https://redis.io/docs/latest/commands/cluster-migration/. Needs Redis 8.4.
	 * @param from the owner of the slots
	 * @param to the new owner
	 * @param limit the longest wait
	 * @throws RespException if a node refuses a command of the move
	 * @throws RedisNotAvailableException if the slots are not moved in time
	 */
	public void moveSlots(RedisServer from, RedisServer to, Duration limit) {
		try (RespClient client = to.client()) {
			List<String> command = new ArrayList<>(List.of("CLUSTER", "MIGRATION", "IMPORT"));
			view().stream()
				.filter((node) -> node.port() == from.port())
				.flatMap((node) -> node.slots().stream())
				.flatMapToInt(IntStream::of)
				.forEach((slot) -> command.add(Integer.toString(slot)));
			client.call(command.toArray(String[]::new));
			Await.until(limit, () -> "The slots of " + from + " are not moved" + describeNodes(),
					() -> this.nodes.stream()
						.allMatch((node) -> view(node).stream()
							.noneMatch((other) -> other.port() == from.port() && !other.slots().isEmpty())));
		}
	}

	/**
	 * Waits until every node that runs and is not frozen reports {@code cluster_state:ok}
	 * and a working master for every slot.
	 * @param limit the longest wait
	 * @throws RedisNotAvailableException if the cluster is not in this state in time
	 */
	public void awaitHealthy(Duration limit) {
		Await.until(limit, () -> "The cluster was not healthy" + describeNodes(),
				() -> this.nodes.stream().filter(Replication::isResponsive).allMatch(this::isHealthy));
	}

	/**
	 * Waits as {@link #awaitHealthy} does, and until every node that is not a master is a
	 * replica in sync, so that the next master may fail.
	 * @param limit the longest wait
	 * @throws RedisNotAvailableException if the cluster is not in this state in time
	 */
	public void awaitInSync(Duration limit) {
		awaitHealthy(limit);
		Await.until(limit, () -> "Not every master has its replicas" + describeNodes(), () -> this.nodes.stream()
			.allMatch(
					(node) -> view(node).stream().allMatch((other) -> other.isReplica() || !other.slots().isEmpty())));
		List<RedisServer> masters = masters();
		this.nodes.stream()
			.filter((node) -> !masters.contains(node))
			.forEach((replica) -> Replication.awaitInSync(replica, limit));
	}

	/** Kills all nodes of the cluster and deletes their files. */
	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

	private List<ClusterNode> view() {
		return view(anyNode());
	}

	static List<ClusterNode> view(RedisServer node) {
		try (RespClient client = node.client()) {
			return ClusterNode.parse(client.text("CLUSTER", "NODES"));
		}
	}

	private ClusterNode ownerOf(String key) {
		return ownerOf(slotOf(key));
	}

	private ClusterNode ownerOf(int slot) {
		return view().stream()
			.filter((node) -> node.owns(slot) && server(node.port()).isRunning())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Slot " + slot + " has no master that works"));
	}

	private RedisServer anyNode() {
		return this.nodes.stream()
			.filter(Replication::isResponsive)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No node of the cluster works"));
	}

	/**
	 * Returns the servers of cluster nodes in the order of {@link #nodes()}, because
	 * CLUSTER NODES lists nodes in random order.
	 */
	private List<RedisServer> servers(Stream<ClusterNode> view) {
		return view.map((node) -> server(node.port())).sorted(Comparator.comparingInt(this.nodes::indexOf)).toList();
	}

	private RedisServer server(int port) {
		return this.nodes.stream()
			.filter((node) -> node.port() == port)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No node of the cluster has port " + port));
	}

	boolean isHealthy(RedisServer node) {
		if (!String.valueOf(node.call("CLUSTER", "INFO")).contains("cluster_state:ok")) {
			return false;
		}
		return view(node).stream()
			.filter((other) -> !other.slots().isEmpty())
			.allMatch((other) -> other.isMaster() && Replication.isResponsive(server(other.port())));
	}

	String describeNodes() {
		return this.nodes.stream()
			.map((node) -> "\n" + node + (node.isRunning() ? "" : ": does not run"))
			.collect(Collectors.joining("", ":", "\nNot healthy"));
	}

}
