package io.delayqueue.journeys;

import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.spring.data.connection.RedissonConnectionFactory;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Every feature over the connection factory of Redisson, whose class the library does not
 * know.
 */
@SuppressWarnings("NullAway.Init")
class RedissonJourneyTests extends EveryFeature {

	private static StartedShop shop;

	@BeforeAll
	static void start() {
		shop = StartedShop.on(SharedRedis.get().uri())
			.with("spring.data.redis.client-type", "jedis")
			.and(OfRedisson.class)
			.start();
	}

	@AfterAll
	static void stop() {
		shop.close();
	}

	@Override
	StartedShop shop() {
		return shop;
	}

	@Configuration(proxyBeanMethods = false)
	static class OfRedisson {

		@Bean(destroyMethod = "shutdown")
		RedissonClient redisson(Environment environment) {
			Config config = new Config();
			config.useSingleServer().setAddress(environment.getRequiredProperty("spring.data.redis.url"));
			return Redisson.create(config);
		}

		@Bean
		RedissonConnectionFactory connections(RedissonClient redisson) {
			return new RedissonConnectionFactory(redisson);
		}

	}

}
