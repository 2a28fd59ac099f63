package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.List;

import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;
import org.jspecify.annotations.Nullable;

/**
 * A Redis master with replicas on the loopback interface, and sentinels. The sentinels
 * monitor the master, and promote a replica if the master does not answer. Each of these
 * processes is a {@link RedisServer}. <pre>
 * try (RedisSentinel redis = RedisSentinel.builder().start()) {
 *     redis.master().kill();
 *     redis.awaitFailover(Duration.ofSeconds(20));
 * }
 * </pre>
 * <p>
 * After the start, the replicas are in sync, and every sentinel has discovered the
 * replicas and the other sentinels. Each call reads the current master from a sentinel.
 * <p>
 * Safe for use by several threads.
 */
public final class RedisSentinel implements AutoCloseable {

	/** The name of the master by which clients ask the sentinels. */
	public static final String MASTER_NAME = "mymaster";

	private final List<RedisServer> servers;

	private final List<RedisServer> sentinels;

	RedisSentinel(List<RedisServer> servers, List<RedisServer> sentinels) {
		this.servers = List.copyOf(servers);
		this.sentinels = List.copyOf(sentinels);
	}

	/**
	 * {@return a builder that configures the servers, by default a master, one replica
	 * and one sentinel}
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
	 * Returns the addresses of all sentinels for clients.
	 * @return each address as {@code 127.0.0.1:port}
	 */
	public List<String> addresses() {
		return this.sentinels.stream().map((sentinel) -> sentinel.host() + ":" + sentinel.port()).toList();
	}

	/**
	 * Returns the master that the sentinels report now: until a failover is complete, the
	 * old master.
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
	 * Waits until the sentinels report a working server as master, and this server also
	 * reports the role of a master.
	 * @param limit the longest wait
	 * @return the master
	 * @throws RedisNotAvailableException if this is not the case in time
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
	 * Lets the sentinels replace a working master with a replica, as an operator does for
	 * maintenance, and waits until the old master is a replica of the new master.
	 * @param limit the longest wait for each step
	 * @return the new master
	 * @throws RedisNotAvailableException if a step is not complete in time
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
	 * Waits until the sentinels report a working master, and all other servers are
	 * replicas in sync.
	 * @param limit the longest wait for the master and for each replica
	 * @throws RedisNotAvailableException if this is not the case in time
	 */
	public void awaitHealthy(Duration limit) {
		RedisServer master = awaitFailover(limit);
		this.servers.stream()
			.filter((server) -> server != master)
			.forEach((replica) -> Replication.awaitInSync(replica, limit));
	}

	/** Kills all sentinels and servers and deletes their files. */
	@Override
	public void close() {
		this.sentinels.forEach(RedisServer::close);
		this.servers.forEach(RedisServer::close);
	}

	/**
	 * Requests a failover from a sentinel, and returns whether the sentinel has accepted
	 * the request. A sentinel needs time to detect that a replica can be promoted.
	 */
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
