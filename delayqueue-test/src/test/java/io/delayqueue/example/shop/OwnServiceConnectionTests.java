package io.delayqueue.example.shop;

import io.delayqueue.test.DelayQueueTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The test slice with a service connection of the test. */
@DelayQueueTest
@Import(Mailer.class)
class OwnServiceConnectionTests {

	@Test
	void theMessagesAreOnTheServerOfTheServiceConnection(@Autowired ApplicationContext context,
			@Autowired ShopRedis redis) {
		UsedRedis.isAt(context, redis.getHost(), redis.getMappedPort(6379));
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Containers {

		@Bean
		@ServiceConnection("redis")
		ShopRedis redis() {
			return new ShopRedis();
		}

	}

}
