package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;

import io.delayqueue.test.fault.RedisCluster;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Connections to one server over one driver, and the template for the store.
 */
final class Connected implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration SHORT = Duration.ofSeconds(3);

	private static final int CONNECTIONS = 4;

	private final RedisConnectionFactory factory;

	private final RedisTemplate<String, byte[]> template;

	private Connected(RedisConnectionFactory factory, RedisTemplate<String, byte[]> template) {
		this.factory = factory;
		this.template = template;
		template.setConnectionFactory(factory);
		template.setKeySerializer(RedisSerializer.string());
		template.setValueSerializer(RedisSerializer.byteArray());
		template.afterPropertiesSet();
	}

	static Connected over(Driver driver, URI uri) {
		return over(driver, uri, TIMEOUT, CONNECTIONS);
	}

	static Connected over(Driver driver, URI uri, RedisTemplate<String, byte[]> template) {
		return new Connected(driver.connect(server(uri), TIMEOUT, CONNECTIONS), template);
	}

	static Connected over(Driver driver, URI uri, Duration timeout, int connections) {
		return new Connected(driver.connect(server(uri), timeout, connections), new RedisTemplate<>());
	}

	/** Over connections that the caller has opened. */
	static Connected of(RedisConnectionFactory factory) {
		return new Connected(factory, new RedisTemplate<>());
	}

	/** To all nodes of a cluster. */
	static Connected toCluster(Driver driver, RedisCluster cluster) {
		RedisClusterConfiguration nodes = new RedisClusterConfiguration(cluster.addresses());
		return of(switch (driver) {
			case JEDIS -> started(new JedisConnectionFactory(nodes,
					JedisClientConfiguration.builder().connectTimeout(SHORT).readTimeout(SHORT).build()));
			case LETTUCE -> started(new LettuceConnectionFactory(nodes,
					LettuceClientConfiguration.builder().commandTimeout(SHORT).shutdownTimeout(Duration.ZERO).build()));
		});
	}

	private static <T extends RedisConnectionFactory & InitializingBean & Lifecycle> T started(T factory) {
		try {
			factory.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		factory.start();
		return factory;
	}

	private static RedisStandaloneConfiguration server(URI uri) {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(uri.getHost(), uri.getPort());
		if (uri.getUserInfo() != null) {
			String[] credentials = uri.getUserInfo().split(":", 2);
			server.setUsername(credentials[0].isEmpty() ? null : credentials[0]);
			server.setPassword(credentials[1]);
		}
		return server;
	}

	RedisTemplate<String, byte[]> template() {
		return this.template;
	}

	@Override
	public void close() {
		try {
			((DisposableBean) this.factory).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
