package io.delayqueue.autoconfigure;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connection details, as provided by Docker Compose and service connections, override the
 * connection properties.
 */
class ConnectionDetailsIntegrationTests {

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void connectionDetailsOverrideConnectionProperties(String driver) throws InterruptedException {
		try (RedisServer redis = RedisServer.builder().start(); TestApplication application = withUnusedPort()) {
			redis.call("ACL", "SETUSER", "shop", "on", ">secret", "~*", "&*", "+@all");
			ConfigurableApplicationContext context = application.with("spring.data.redis.client-type=" + driver)
				.with("details.port=" + redis.port())
				.start(Details.class);
			context.getBean(DelayQueueOperations.class).schedule("orders", "o-1", Duration.ofMillis(50));
			assertThat(context.getBean(Orders.class).closed.poll(2, TimeUnit.MINUTES)).isEqualTo("o-1");
			assertThat(redis.call("INFO", "keyspace")).asString().contains("db1:keys=").doesNotContain("db0:");
			assertThat(redis.call("CLIENT", "LIST")).asString().contains("user=shop");
		}
	}

	private static TestApplication withUnusedPort() {
		return new TestApplication(URI.create("redis://127.0.0.1:1"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Details {

		@Bean
		DataRedisConnectionDetails details(@Value("${details.port}") int port) {
			return new DataRedisConnectionDetails() {

				@Override
				public String getUsername() {
					return "shop";
				}

				@Override
				public String getPassword() {
					return "secret";
				}

				@Override
				public Standalone getStandalone() {
					return Standalone.of("127.0.0.1", port, 1);
				}

			};
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		final BlockingQueue<String> closed = new LinkedBlockingQueue<>();

		@DelayedListener(queue = "orders")
		void close(String id) {
			this.closed.add(id);
		}

	}

}
