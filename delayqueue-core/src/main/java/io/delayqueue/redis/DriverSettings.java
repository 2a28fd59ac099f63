package io.delayqueue.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

import io.lettuce.core.ReadFrom;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * Settings of the Redis driver on which guarantees of this library depend. The settings
 * are those of the application's connections, or of this library's own connections.
 *
 * @param cluster whether the driver has, or may have, connections to several masters
 * @param repeats whether the driver itself repeats a call whose reply is lost
 * @param replicaReads the kind of nodes to which the driver sends read-only commands,
 * {@code null} for masters only
 * @param commandTimeout the time for which the driver waits for a reply, 0 for no limit;
 * {@code null} if unknown
 * @param connections the most connections to one server, negative for no limit;
 * {@code null} if one connection carries many calls at a time, or the limit is unknown
 * @param address where the driver looks for Redis, {@code null} if unknown
 */
public record DriverSettings(boolean cluster, boolean repeats, @Nullable String replicaReads,
		@Nullable Duration commandTimeout, @Nullable Integer connections, @Nullable String address) {

	/**
	 * The number of connections that is enough for any number of queues, because calls
	 * are short.
	 */
	public static final int ENOUGH_CONNECTIONS = 16;

	/**
	 * Reads the settings from a connection factory, without a call to Redis.
	 * @param connections the connection factory
	 * @return the settings; for an unknown driver the most cautious settings
	 */
	public static DriverSettings of(RedisConnectionFactory connections) {
		if (connections instanceof LettuceConnectionFactory lettuce) {
			return OfLettuce.settings(lettuce);
		}
		if (connections instanceof OwnJedisConnections own) {
			return OfJedis.settings(own.settings());
		}
		return (connections instanceof JedisConnectionFactory jedis) ? OfJedis.settings(jedis)
				: new DriverSettings(true, true, null, null, null, null);
	}

	private static String address(@Nullable RedisClusterConfiguration cluster,
			@Nullable RedisSentinelConfiguration sentinels, String host, int port) {
		if (cluster != null) {
			return nodes(cluster.getClusterNodes());
		}
		return (sentinels != null) ? "sentinels " + nodes(sentinels.getSentinels()) : host + ":" + port;
	}

	private static String nodes(Collection<RedisNode> nodes) {
		return nodes.stream().map(RedisNode::asString).sorted().collect(Collectors.joining(", "));
	}

	/**
	 * Contains all uses of a driver's types, so that the JVM does not load these types if
	 * the driver is absent.
	 */
	private static final class OfLettuce {

		static DriverSettings settings(LettuceConnectionFactory lettuce) {
			String replicaReads = lettuce.getClientConfiguration()
				.getReadFrom()
				.filter((from) -> from.getClass() != ReadFrom.UPSTREAM.getClass())
				.map((from) -> from.getClass().getSimpleName().replace("ReadFrom", ""))
				.orElse(null);
			return new DriverSettings(lettuce.isClusterAware(), false, replicaReads,
					Duration.ofMillis(lettuce.getTimeout()),
					lettuce.getShareNativeConnection() ? null : pooled(lettuce),
					address(lettuce.getClusterConfiguration(), lettuce.getSentinelConfiguration(),
							lettuce.getHostName(), lettuce.getPort()));
		}

		private static @Nullable Integer pooled(LettuceConnectionFactory lettuce) {
			return (lettuce.getClientConfiguration() instanceof LettucePoolingClientConfiguration pooling)
					? pooling.getPoolConfig().getMaxTotal() : null;
		}

	}

	/**
	 * Contains all uses of a driver's types, so that the JVM does not load these types if
	 * the driver is absent.
	 */
	private static final class OfJedis {

		static DriverSettings settings(JedisConnectionFactory jedis) {
			JedisClientConfiguration client = jedis.getClientConfiguration();
			Integer pooled = client.isUsePooling()
					? client.getPoolConfig().map((pool) -> Integer.valueOf(pool.getMaxTotal())).orElse(null) : null;
			return new DriverSettings(jedis.isRedisClusterAware(), jedis.isRedisClusterAware(), null,
					Duration.ofMillis(jedis.getTimeout()), pooled, address(jedis.getClusterConfiguration(),
							jedis.getSentinelConfiguration(), jedis.getHostName(), jedis.getPort()));
		}

	}

}
