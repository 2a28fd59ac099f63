package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.List;

import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;
import org.jspecify.annotations.Nullable;

/**
 * A master with replicas on the loopback interface, monitored by sentinels that replace
 * it when it falls silent; each of them a {@link RedisServer}. <pre>
 * try (RedisSentinel redis = RedisSentinel.builder().start()) {
 *     redis.master().kill();
 *     redis.awaitFailover(Duration.ofSeconds(20));
 * }
 * </pre>
 * <p>
 * After the start, the replicas are in sync and every sentinel has discovered them and
 * the other sentinels. Each call reads the current master.
 * <p>
 * Safe for use by several threads.
 */
public final class RedisSentinel implements AutoCloseable {

	/** The name of the master for clients. */
	public static final String MASTER_NAME = "mymaster";

	private final List<RedisServer> servers;

	private final List<RedisServer> sentinels;

	RedisSentinel(List<RedisServer> servers, List<RedisServer> sentinels) {
		this.servers = List.copyOf(servers);
		this.sentinels = List.copyOf(sentinels);
	}

	/**
	 * Starts the configuration: a master with one replica and one sentinel by default.
	 * @return a builder
	 */
	public static RedisSentinelBuilder builder() {
		return new RedisSentinelBuilder();
	}

	/**
	 * Returns the servers that hold data, running or not; the initial master comes first.
	 * @return an immutable list
	 */
	public List<RedisServer> servers() {
		return this.servers;
	}

	/**
	 * Returns the sentinels, running or not.
	 * @return an immutable list
	 */
	public List<RedisServer> sentinels() {
		return this.sentinels;
	}

	/**
	 * Returns the addresses for clients.
	 * @return every sentinel as {@code 127.0.0.1:port}
	 */
	public List<String> addresses() {
		return this.sentinels.stream().map((sentinel) -> sentinel.host() + ":" + sentinel.port()).toList();
	}

	/**
	 * Returns the master that the sentinels report now; until a failover is complete,
	 * that is the old one.
	 * @return the master
	 * @throws IllegalStateException if no sentinel works
	 */
	public RedisServer master() {
		RedisServer sentinel = this.sentinels.stream()
			.filter(Replication::isResponsive)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No sentinel works"));
		List<?> address = asList(sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME));
		int port = Integer.parseInt(String.valueOf(address.get(1)));
		return this.servers.stream()
			.filter((server) -> server.port() == port)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No server has port " + port));
	}

	/**
	 * Waits until the sentinels report a working master that also reports itself as one.
	 * @param limit the longest wait
	 * @return the master
	 * @throws RedisNotAvailableException if that is not so in time
	 */
	public RedisServer awaitFailover(Duration limit) {
		Await.until(limit, () -> "No failover happened. The log of the first sentinel:\n"
				+ this.sentinels.get(0).logTail() + "\nNo failover", () -> {
					RedisServer master = master();
					return Replication.isResponsive(master) && Replication.reports(master, "role", "master");
				});
		return master();
	}

	/**
	 * Lets the sentinels replace a working master with a replica, as for maintenance, and
	 * waits until the old master follows the new one.
	 * @param limit the longest wait
	 * @return the new master
	 * @throws RedisNotAvailableException if that is not so in time
	 */
	public RedisServer failOver(Duration limit) {
		RedisServer before = master();
		Await.until(limit, () -> "The sentinels have no replica for " + before, this::isFailingOver);
		Await.until(limit, () -> before + " is still the master", () -> master() != before);
		RedisServer after = awaitFailover(limit);
		Replication.awaitInSync(before, limit);
		return after;
	}

	/**
	 * Waits until all servers run, the sentinels have discovered them, and the replicas
	 * follow the master.
	 * @param limit the longest wait
	 * @throws RedisNotAvailableException if that is not so in time
	 */
	public void awaitHealthy(Duration limit) {
		RedisServer master = awaitFailover(limit);
		this.servers.stream()
			.filter((server) -> server != master)
			.forEach((replica) -> Replication.awaitInSync(replica, limit));
	}

	/** Ends all processes at once and deletes their files. */
	@Override
	public void close() {
		this.sentinels.forEach(RedisServer::close);
		this.servers.forEach(RedisServer::close);
	}

	/** A sentinel needs time to detect that a replica can be promoted. */
	private boolean isFailingOver() {
		try {
			this.sentinels.get(0).call("SENTINEL", "FAILOVER", MASTER_NAME);
			return true;
		}
		catch (RespException refusal) {
			if (String.valueOf(refusal.getMessage()).startsWith("NOGOODSLAVE")) {
				return false;
			}
			throw refusal;
		}
	}

	boolean hasDiscoveredAll(RedisServer sentinel) {
		return asList(sentinel.call("SENTINEL", "REPLICAS", MASTER_NAME)).size() == this.servers.size() - 1
				&& asList(sentinel.call("SENTINEL", "SENTINELS", MASTER_NAME)).size() == this.sentinels.size() - 1;
	}

	private static List<?> asList(@Nullable Object reply) {
		if (reply instanceof List<?> list) {
			return list;
		}
		throw new IllegalStateException("Not a reply of a sentinel: " + reply);
	}

}
