package io.delayqueue.test.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Connects a Spring context to {@link SharedRedis}: import this class into a test and set
 * no {@code spring.data.redis} address. <pre>
 * &#64;SpringBootTest
 * &#64;Import(TestRedis.class)
 * class OrderTests { ... }
 * </pre>
 * <p>
 * The server does not stop when an application context is closed, so that several
 * application contexts of a JVM can share the server.
 */
@TestConfiguration(proxyBeanMethods = false)
public class TestRedis {

	/**
	 * Creates the configuration.
	 */
	public TestRedis() {
	}

	@Bean
	DataRedisConnectionDetails testRedisConnectionDetails() {
		return new SharedRedisConnectionDetails(RedisAddress.of(SharedRedis.get().uri()));
	}

	private record SharedRedisConnectionDetails(RedisAddress address) implements DataRedisConnectionDetails {

		@Override
		public @Nullable String getUsername() {
			return this.address.username();
		}

		@Override
		public @Nullable String getPassword() {
			return this.address.password();
		}

		@Override
		public Standalone getStandalone() {
			return Standalone.of(this.address.host(), this.address.port(), this.address.database());
		}

	}

}
