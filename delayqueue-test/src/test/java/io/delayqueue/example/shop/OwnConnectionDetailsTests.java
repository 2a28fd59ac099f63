package io.delayqueue.example.shop;

import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The test slice with connection details of the test. */
@DelayQueueTest
@Import(Mailer.class)
class OwnConnectionDetailsTests {

	@Test
	void theMessagesAreOnTheServerOfTheDetails(@Autowired ApplicationContext context, @Autowired RedisServer redis) {
		UsedRedis.isAt(context, redis.host(), redis.port());
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Details {

		@Bean
		RedisServer redis() {
			return RedisServer.builder().start();
		}

		@Bean
		DataRedisConnectionDetails details(RedisServer redis) {
			return new DataRedisConnectionDetails() {

				@Override
				public Standalone getStandalone() {
					return Standalone.of(redis.host(), redis.port());
				}

			};
		}

	}

}
