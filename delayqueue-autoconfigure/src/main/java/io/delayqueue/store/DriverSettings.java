package io.delayqueue.store;

import java.time.Duration;

import io.lettuce.core.ReadFrom;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.util.ClassUtils;

/**
 * What the connections that are really used, whoever has made them, are set to do, as far
 * as promises of ours depend on it.
 *
 * @param cluster whether they lead, or may lead, to several masters
 * @param repeats whether the driver sends a call again by itself whose answer is lost
 * @param replicaReads where commands that only read are sent to if that may be a replica,
 * {@code null} if the master answers them all
 * @param commandTimeout for how long an answer is waited for, 0 for ever; {@code null} if
 * it is not known
 * @param connections the most connections to one server, each of which carries one call
 * at a time; negative for no limit, {@code null} if they carry many or it is not known
 */
public record DriverSettings(boolean cluster, boolean repeats, @Nullable String replicaReads,
		@Nullable Duration commandTimeout, @Nullable Integer connections) {

	/** So many connections do for any number of queues: their calls are short. */
	public static final int ENOUGH_CONNECTIONS = 16;

	private static final boolean JEDIS = isPresent("redis.clients.jedis.Jedis");

	private static final boolean LETTUCE = isPresent("io.lettuce.core.RedisClient");

	/**
	 * Looks at connections, without using them.
	 * @param connections the connections
	 * @return what they are set to do; of a driver that is not known nothing is certain
	 */
	public static DriverSettings of(RedisConnectionFactory connections) {
		if (isLettuce(connections)) {
			return OfLettuce.settings((LettuceConnectionFactory) connections);
		}
		if (JEDIS && connections instanceof OwnJedisConnections.OnDemand own) {
			return OfJedis.settings(own.settings());
		}
		if (JEDIS && connections instanceof JedisConnectionFactory jedis) {
			return OfJedis.settings(jedis);
		}
		return new DriverSettings(true, true, null, null, null);
	}

	static boolean isLettuce(RedisConnectionFactory connections) {
		return LETTUCE && connections instanceof LettuceConnectionFactory;
	}

	private static boolean isPresent(String driver) {
		return ClassUtils.isPresent(driver, DriverSettings.class.getClassLoader());
	}

	/** Apart, so that its types are not needed where the driver is absent. */
	private static final class OfLettuce {

		static DriverSettings settings(LettuceConnectionFactory lettuce) {
			String replicaReads = lettuce.getClientConfiguration()
				.getReadFrom()
				.filter((from) -> from.getClass() != ReadFrom.UPSTREAM.getClass())
				.map(OfLettuce::name)
				.orElse(null);
			return new DriverSettings(lettuce.isClusterAware(), false, replicaReads,
					Duration.ofMillis(lettuce.getTimeout()),
					lettuce.getShareNativeConnection() ? null : pooled(lettuce));
		}

		private static @Nullable Integer pooled(LettuceConnectionFactory lettuce) {
			return (lettuce.getClientConfiguration() instanceof LettucePoolingClientConfiguration pooling)
					? pooling.getPoolConfig().getMaxTotal() : null;
		}

		private static String name(ReadFrom from) {
			return from.getClass().getSimpleName().replace("ReadFrom", "");
		}

	}

	/** Apart, so that its types are not needed where the driver is absent. */
	private static final class OfJedis {

		static DriverSettings settings(JedisConnectionFactory jedis) {
			JedisClientConfiguration client = jedis.getClientConfiguration();
			Integer pooled = client.isUsePooling()
					? client.getPoolConfig().map((pool) -> Integer.valueOf(pool.getMaxTotal())).orElse(null) : null;
			return new DriverSettings(jedis.isRedisClusterAware(), jedis.isRedisClusterAware(), null,
					Duration.ofMillis(jedis.getTimeout()), pooled);
		}

	}

}
