package io.delayqueue.test;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueTestAutoConfigurationTests {

	private static final String OWN_REDIS = "testRedisConnectionDetails";

	private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
		.withPropertyValues("delayqueue.key-prefix=dq-test-configuration")
		.withConfiguration(AutoConfigurations.of(DelayQueueTestAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, JacksonAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.withoutRedis
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

	@Test
	void allBeansAndARedisAreConfigured() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(DelayQueueTime.class)
				.hasSingleBean(TestQueues.class)
				.hasSingleBean(FreshStart.class)
				.hasSingleBean(OwnKeys.class)
				.hasBean(OWN_REDIS);
			assertThat(context.getBean(QueueConsumerFactory.class)).isInstanceOf(RecordingConsumerFactory.class);
		});
	}

	@Test
	void scriptsOfAllTemplatesUseTheAdvancedTime() {
		this.runner.run((context) -> {
			context.getBean(DelayQueueTime.class).advance(Duration.ofDays(365));
			long ahead = Instant.now().plus(Duration.ofDays(364)).getEpochSecond();
			assertThat(context.getBeansOfType(RedisTemplate.class))
				.containsOnlyKeys("redisTemplate", "stringRedisTemplate")
				.allSatisfy((name, template) -> assertThat(seconds(template)).isGreaterThan(ahead));
			assertThat(seconds(context.getBean(RedisAccess.class).template())).isGreaterThan(ahead);
		});
	}

	@Test
	void anApplicationThatEnablesCachingHasACacheThatKeepsNothing() {
		ApplicationContextRunner slice = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(NoCacheAutoConfiguration.class));
		slice.run((context) -> assertThat(context).doesNotHaveBean(CacheManager.class));
		slice.withUserConfiguration(Cached.class)
			.run((context) -> assertThat(context).getBean(CacheManager.class).isInstanceOf(NoOpCacheManager.class));
		slice.withUserConfiguration(Cached.class)
			.withBean(ConcurrentMapCacheManager.class)
			.run((context) -> assertThat(context).getBean(CacheManager.class)
				.isInstanceOf(ConcurrentMapCacheManager.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Cached {

	}

	@Test
	void theApplicationsRedisIsUsedOnRequest() {
		this.runner
			.withPropertyValues("delayqueue-test.replace-redis=false",
					"spring.data.redis.url=" + SharedRedis.get().uri())
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueTime.class)
				.hasSingleBean(DataRedisConnectionDetails.class)
				.doesNotHaveBean(OWN_REDIS));
	}

	@Test
	void connectionDetailsOfATestTakePrecedence() {
		URI redis = SharedRedis.get().uri();
		this.runner.withBean("details", DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(redis.getHost(), redis.getPort());
			}

		}).run((context) -> assertThat(context).hasSingleBean(DataRedisConnectionDetails.class).hasBean("details"));
	}

	@Test
	void withoutARedisTemplateTheStartFailsWithAMessage() {
		this.withoutRedis.run((context) -> assertThat(context).getFailure()
			.isInstanceOf(UnsatisfiedDependencyException.class)
			.rootCause()
			.isInstanceOf(NoSuchBeanDefinitionException.class)
			.hasMessageContaining("io.delayqueue.engine.DelayQueueEngine"));
	}

	private static Long seconds(RedisTemplate<?, ?> template) {
		return template.execute(RedisScript.of("return tonumber(redis.call('TIME')[1])", Long.class), List.of());
	}

}
