package io.delayqueue.store;

import java.time.Duration;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

/**
 * The two drivers that an application may use.
 */
enum Driver {

	JEDIS {
		@Override
		RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration timeout, int most) {
			JedisClientConfiguration configuration = JedisClientConfiguration.builder()
				.connectTimeout(timeout)
				.readTimeout(timeout)
				.usePooling()
				.poolConfig(pool(timeout, most))
				.build();
			JedisConnectionFactory factory = new JedisConnectionFactory(server, configuration);
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}
	},

	LETTUCE {
		@Override
		RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration timeout, int most) {
			LettucePoolingClientConfiguration configuration = LettucePoolingClientConfiguration.builder()
				.commandTimeout(timeout)
				.shutdownTimeout(Duration.ZERO)
				.poolConfig(pool(timeout, most))
				.build();
			LettuceConnectionFactory factory = new LettuceConnectionFactory(server, configuration);
			factory.setShareNativeConnection(false);
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}
	};

	/**
	 * Opens connections.
	 * @param server the server
	 * @param timeout for connecting, for an answer, and for a free connection
	 * @param most the most connections
	 * @return the connections, which the caller destroys
	 */
	abstract RedisConnectionFactory connect(RedisStandaloneConfiguration server, Duration timeout, int most);

	private static <T> GenericObjectPoolConfig<T> pool(Duration longestWait, int most) {
		GenericObjectPoolConfig<T> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(most);
		pool.setMaxWait(longestWait);
		return pool;
	}

}
