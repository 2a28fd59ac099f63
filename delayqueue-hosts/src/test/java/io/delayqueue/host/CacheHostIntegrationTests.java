package io.delayqueue.host;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with a cache in the process.
 */
@ExtendWith(OutputCaptureExtension.class)
class CacheHostIntegrationTests {

	private static final String WARNING = "The caches of this application are in Redis";

	@Test
	void withoutRedisTheCacheIsInTheProcess() {
		try (ConfigurableApplicationContext context = Host.startWithoutRedis(Shop.class)) {
			assertThat(context.getBean(CacheManager.class)).isInstanceOf(CaffeineCacheManager.class);
			assertThat(context.getBean(Prices.class).of("a")).isSameAs(context.getBean(Prices.class).of("a"));
		}
	}

	@Test
	void theStartNamesThePropertyThatKeepsTheCacheInTheProcess(CapturedOutput output) {
		try (ConfigurableApplicationContext context = Host.start(Shop.class)) {
			assertThat(context.getBean(CacheManager.class)).isInstanceOf(RedisCacheManager.class);
		}
		assertThat(output).containsOnlyOnce(WARNING)
			.contains("Set spring.cache.type=caffeine if they are to stay in the process");
	}

	@Test
	void withThePropertyTheCacheIsTheSameAsBefore(CapturedOutput output) {
		try (ConfigurableApplicationContext context = Host.start(Shop.class, "spring.cache.type=caffeine")) {
			assertThat(context.getBean(CacheManager.class)).isInstanceOf(CaffeineCacheManager.class);
			assertThat(context.getBean(Prices.class).of("a")).isSameAs(context.getBean(Prices.class).of("a"));
		}
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void nothingIsSaidAboutACacheThatIsMeantToBeInRedis(CapturedOutput output) {
		Host.start(Shop.class, "spring.cache.type=redis").close();
		Host.start(OwnCacheManager.class).close();
		assertThat(output).doesNotContain(WARNING);
	}

	/** Not serializable. */
	static final class Price {

	}

	static class Prices {

		@Cacheable("prices")
		public Price of(String article) {
			return new Price();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	@Import(Prices.class)
	static class Shop {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	static class OwnCacheManager {

		@Bean
		RedisCacheManager own(RedisConnectionFactory connections) {
			return RedisCacheManager.create(connections);
		}

	}

}
