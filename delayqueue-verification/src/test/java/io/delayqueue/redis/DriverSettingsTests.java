package io.delayqueue.redis;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The settings of connections, without opening a connection.
 */
class DriverSettingsTests {

	private static final RedisClusterConfiguration CLUSTER = new RedisClusterConfiguration(List.of("127.0.0.1:1"));

	private static final RedisSentinelConfiguration SENTINEL = new RedisSentinelConfiguration().master("mymaster")
		.sentinel("127.0.0.1", 1);

	private static final RedisStandaloneConfiguration ONE_SERVER = new RedisStandaloneConfiguration();

	@Test
	void onlyAClusterIsACluster() {
		assertThat(DriverSettings.of(new LettuceConnectionFactory(CLUSTER)).cluster()).isTrue();
		assertThat(DriverSettings.of(new JedisConnectionFactory(CLUSTER)).cluster()).isTrue();
		assertThat(DriverSettings.of(new LettuceConnectionFactory(SENTINEL)).cluster()).isFalse();
		assertThat(DriverSettings.of(new JedisConnectionFactory(SENTINEL)).cluster()).isFalse();
		assertThat(DriverSettings.of(new LettuceConnectionFactory(ONE_SERVER)).cluster()).isFalse();
		assertThat(DriverSettings.of(new JedisConnectionFactory(ONE_SERVER)).cluster()).isFalse();
	}

	@Test
	void ownConnectionsHaveTheKindOfTheApplicationsConnections() {
		assertThat(DriverSettings
			.of(new DelayQueueRedisTemplate(new JedisConnectionFactory(ONE_SERVER)).getRequiredConnectionFactory())
			.cluster()).isFalse();
		assertThat(DriverSettings
			.of(new DelayQueueRedisTemplate(new JedisConnectionFactory(CLUSTER)).getRequiredConnectionFactory())
			.cluster()).isTrue();
	}

	@Test
	void theAddressIsThatOfTheServersWhichTheDriverLooksFor() {
		assertThat(DriverSettings.of(new LettuceConnectionFactory(CLUSTER)).address()).isEqualTo("127.0.0.1:1");
		assertThat(DriverSettings.of(new JedisConnectionFactory(CLUSTER)).address()).isEqualTo("127.0.0.1:1");
		assertThat(DriverSettings.of(new LettuceConnectionFactory(SENTINEL)).address())
			.isEqualTo("sentinels 127.0.0.1:1");
		assertThat(DriverSettings.of(new JedisConnectionFactory(SENTINEL)).address())
			.isEqualTo("sentinels 127.0.0.1:1");
		assertThat(DriverSettings.of(new LettuceConnectionFactory(ONE_SERVER)).address()).isEqualTo("localhost:6379");
		assertThat(DriverSettings
			.of(new DelayQueueRedisTemplate(new JedisConnectionFactory(ONE_SERVER)).getRequiredConnectionFactory())
			.address()).isEqualTo("localhost:6379");
	}

	@Test
	void theTimeoutIsThatOfOneCommand() {
		assertThat(DriverSettings.of(new LettuceConnectionFactory(ONE_SERVER)).commandTimeout()).hasMinutes(1);
		assertThat(DriverSettings.of(new JedisConnectionFactory(ONE_SERVER)).commandTimeout()).hasSeconds(2);
		assertThat(DriverSettings
			.of(new LettuceConnectionFactory(ONE_SERVER,
					LettuceClientConfiguration.builder().commandTimeout(Duration.ofMillis(700)).build()))
			.commandTimeout()).hasMillis(700);
		assertThat(DriverSettings
			.of(new JedisConnectionFactory(ONE_SERVER,
					JedisClientConfiguration.builder().readTimeout(Duration.ofMillis(700)).build()))
			.commandTimeout()).hasMillis(700);
	}

	@Test
	void thePoolSizeIsTheLimitIfEachCallTakesAConnection() {
		ConnectionPoolConfig pool = new ConnectionPoolConfig();
		pool.setMaxTotal(3);
		JedisConnectionFactory theirs = new JedisConnectionFactory(ONE_SERVER,
				JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
		assertThat(DriverSettings.of(theirs).connections()).isEqualTo(3);
		assertThat(DriverSettings.of(new DelayQueueRedisTemplate(theirs).getRequiredConnectionFactory()).connections())
			.as("own pool")
			.isEqualTo(DriverSettings.ENOUGH_CONNECTIONS);
		LettuceConnectionFactory lettuce = new LettuceConnectionFactory(ONE_SERVER,
				LettucePoolingClientConfiguration.builder().poolConfig(new GenericObjectPoolConfig<>()).build());
		assertThat(DriverSettings.of(lettuce).connections()).as("shared").isNull();
		lettuce.setShareNativeConnection(false);
		assertThat(DriverSettings.of(lettuce).connections()).isEqualTo(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL);
	}

	@Test
	void settingsOfUnknownConnectionsAreTheMostCautious() {
		RedisConnectionFactory unknown = (RedisConnectionFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class }, (proxy, method, arguments) -> null);
		assertThat(DriverSettings.of(unknown)).isEqualTo(new DriverSettings(true, true, null, null, null, null));
	}

}
