package io.delayqueue.test.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A master with replicas on the loopback interface, watched by sentinels that replace it
 * when it falls silent; each of them a {@link RedisServer}. <pre>
 * try (RedisSentinel redis = RedisSentinel.builder().start()) {
 *     redis.master().kill();
 *     redis.awaitFailover(Duration.ofSeconds(20));
 * }
 * </pre>
 * <p>
 * When it is started, the replicas are in sync and every sentinel knows them and the
 * other sentinels. Who is master is asked anew with each call.
 * <p>
 * Safe for use by several threads.
 */
public final class RedisSentinel implements AutoCloseable {

	/**
	 * The name by which clients ask for the master.
	 */
	public static final String MASTER_NAME = "mymaster";

	private final List<RedisServer> servers;

	private final List<RedisServer> sentinels;

	RedisSentinel(List<RedisServer> servers, List<RedisServer> sentinels) {
		this.servers = List.copyOf(servers);
		this.sentinels = List.copyOf(sentinels);
	}

	/**
	 * Begins a master with one replica and one sentinel.
	 * @return a builder
	 */
	public static RedisSentinelBuilder builder() {
		return new RedisSentinelBuilder();
	}

	/**
	 * The servers that hold data, running or not; the one that began as master comes
	 * first.
	 * @return an immutable list
	 */
	public List<RedisServer> servers() {
		return this.servers;
	}

	/**
	 * The sentinels, running or not.
	 * @return an immutable list
	 */
	public List<RedisServer> sentinels() {
		return this.sentinels;
	}

	/**
	 * Where clients ask for the master.
	 * @return every sentinel as {@code 127.0.0.1:port}
	 */
	public List<String> addresses() {
		return this.sentinels.stream().map((sentinel) -> sentinel.host() + ":" + sentinel.port()).toList();
	}

	/**
	 * The master that the sentinels name at this moment; until a failover is through,
	 * that is the old one.
	 * @return the master
	 * @throws IllegalStateException if no sentinel works
	 */
	public RedisServer master() {
		RedisServer sentinel = this.sentinels.stream()
			.filter(RedisServer::isResponsive)
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
	 * Waits until the sentinels name a master that works and says itself that it is one.
	 * @param limit how long at most
	 * @return the master
	 * @throws RedisNotAvailableException if that is not so in time
	 */
	public RedisServer awaitFailover(Duration limit) {
		Await.until(limit, () -> "No failover happened. The log of the first sentinel:\n"
				+ this.sentinels.get(0).logTail() + "\nNo failover", () -> {
					RedisServer master = master();
					return master.isResponsive()
							&& Replication.says(master, (info) -> "master".equals(info.get("role")));
				});
		return master();
	}

	/**
	 * Lets the sentinels put a replica in the place of a master that works, as for its
	 * maintenance, and waits until the old master follows the new one.
	 * @param limit how long at most
	 * @return the new master
	 * @throws RedisNotAvailableException if that is not so in time
	 */
	public RedisServer failOver(Duration limit) {
		RedisServer before = master();
		Await.until(limit, () -> "The sentinels have no replica for " + before, this::isFailingOver);
		Await.until(limit, () -> before + " is the master still", () -> master() != before);
		RedisServer after = awaitFailover(limit);
		Replication.awaitInSync(before, limit);
		return after;
	}

	/**
	 * Waits until all servers run, the sentinels know them, and the replicas follow the
	 * master.
	 * @param limit how long at most
	 * @throws RedisNotAvailableException if that is not so in time
	 */
	public void awaitHealthy(Duration limit) {
		RedisServer master = awaitFailover(limit);
		this.servers.stream()
			.filter((server) -> server != master)
			.forEach((replica) -> Replication.awaitInSync(replica, limit));
	}

	/**
	 * Ends all processes at once and deletes what they wrote.
	 */
	@Override
	public void close() {
		this.sentinels.forEach(RedisServer::close);
		this.servers.forEach(RedisServer::close);
	}

	/**
	 * A sentinel takes its time to see that a replica can be used.
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

	boolean knowsAll(RedisServer sentinel) {
		return asList(sentinel.call("SENTINEL", "REPLICAS", MASTER_NAME)).size() == this.servers.size() - 1
				&& asList(sentinel.call("SENTINEL", "SENTINELS", MASTER_NAME)).size() == this.sentinels.size() - 1;
	}

	private static List<?> asList(@Nullable Object reply) {
		if (reply instanceof List<?> list) {
			return list;
		}
		throw new IllegalStateException("Not what a sentinel answers: " + reply);
	}

}
