package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisNotAvailableException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RedisServerBuilder;

/**
 * Configures a {@link RedisSentinel}: a master with replicas and sentinels. Not safe for
 * use by several threads.
 */
public final class RedisSentinelBuilder {

	/**
	 * The value of {@code failover-timeout}. A sentinel that has lost an election tries
	 * again after twice this time.
	 */
	private static final Duration FAILOVER_TIMEOUT = Duration.ofSeconds(2);

	private Consumer<RedisServerBuilder> settings = (server) -> {
	};

	private int replicas = 1;

	private int sentinels = 1;

	private Duration downAfter = Duration.ofSeconds(1);

	private AppendOnly appendOnly = AppendOnly.OFF;

	RedisSentinelBuilder() {
	}

	/**
	 * Sets the number of replicas.
	 * @param replicas 1 or more
	 * @return this builder
	 */
	public RedisSentinelBuilder replicas(int replicas) {
		this.replicas = replicas;
		return this;
	}

	/**
	 * Sets the number of sentinels. A failover needs the agreement of more than half of
	 * the sentinels.
	 * @param sentinels 1 or more
	 * @return this builder
	 */
	public RedisSentinelBuilder sentinels(int sentinels) {
		this.sentinels = sentinels;
		return this;
	}

	/**
	 * Sets the time after which a sentinel considers a master that does not answer as
	 * down ({@code
	 * down-after-milliseconds}).
	 * @param downAfter 1 s by default
	 * @return this builder
	 */
	public RedisSentinelBuilder downAfter(Duration downAfter) {
		this.downAfter = downAfter;
		return this;
	}

	/**
	 * Sets the persistence of the servers that hold data.
	 * @param appendOnly {@link AppendOnly#OFF} by default
	 * @return this builder
	 */
	public RedisSentinelBuilder appendOnly(AppendOnly appendOnly) {
		this.appendOnly = appendOnly;
		return this;
	}

	/**
	 * Adds a line to the configuration of each server that holds data.
	 * @param name the directive
	 * @param values the arguments of the directive, unquoted
	 * @return this builder
	 */
	public RedisSentinelBuilder setting(String name, Object... values) {
		this.settings = this.settings.andThen((server) -> server.setting(name, values));
		return this;
	}

	/**
	 * Starts the servers, then the sentinels.
	 * @return the servers, with replicas in sync and sentinels that have discovered all
	 * servers
	 * @throws IllegalArgumentException if a number is out of bounds
	 * @throws RedisNotAvailableException if a step of the start takes more than 2 minutes
	 */
	public RedisSentinel start() {
		if (this.replicas < 1 || this.sentinels < 1) {
			throw new IllegalArgumentException(
					"replicas and sentinels must be 1 or more, but are " + this.replicas + " and " + this.sentinels);
		}
		List<RedisServer> started = new ArrayList<>();
		try {
			RedisServer master = start(started, server());
			for (int i = 0; i < this.replicas; i++) {
				start(started, server().setting("replicaof", master.host(), master.port()));
			}
			List<RedisServer> servers = List.copyOf(started);
			servers.stream().skip(1).forEach((replica) -> Replication.awaitInSync(replica, Await.LIMIT));
			for (int i = 0; i < this.sentinels; i++) {
				start(started, sentinel(master));
			}
			// By default sentinels check servers every 10 s, and wait 8 s before they
			// demote a returning master
			started.stream()
				.skip(servers.size())
				.forEach((sentinel) -> sentinel.call("SENTINEL", "DEBUG", "INFO-PERIOD", "500", "PUBLISH-PERIOD",
						"250"));
			RedisSentinel redis = new RedisSentinel(servers, started.subList(servers.size(), started.size()));
			Await.until(Await.LIMIT, () -> "The sentinels did not meet",
					() -> redis.sentinels().stream().allMatch(redis::hasDiscoveredAll));
			return redis;
		}
		catch (RuntimeException ex) {
			started.forEach(RedisServer::close);
			throw ex;
		}
	}

	private static RedisServer start(List<RedisServer> started, RedisServerBuilder builder) {
		RedisServer server = builder.start();
		started.add(server);
		return server;
	}

	private RedisServerBuilder server() {
		RedisServerBuilder server = Replication.server().appendOnly(this.appendOnly);
		this.settings.accept(server);
		return server;
	}

	private RedisServerBuilder sentinel(RedisServer master) {
		return RedisServer.builder()
			.sentinel()
			.setting("sentinel", "monitor", RedisSentinel.MASTER_NAME, master.host(), master.port(),
					this.sentinels / 2 + 1)
			.setting("sentinel", "down-after-milliseconds", RedisSentinel.MASTER_NAME, this.downAfter.toMillis())
			.setting("sentinel", "failover-timeout", RedisSentinel.MASTER_NAME, FAILOVER_TIMEOUT.toMillis());
	}

}
