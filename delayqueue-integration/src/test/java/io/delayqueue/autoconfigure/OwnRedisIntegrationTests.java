package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationClassPostProcessor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Delayed messages that use a different Redis than the application.
 */
class OwnRedisIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(DelayQueueAutoConfiguration.class, DelayQueueRedisAutoConfiguration.class,
					JacksonAutoConfiguration.class, DataRedisAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(classes = { Marked.class, MarkedAsDefault.class })
	void markedConnectionFactoryIsUsedForDelayedMessagesOnly(Class<?> marked) {
		try (RedisServer queues = RedisServer.builder().start();
				RedisServer application = RedisServer.builder().start()) {
			this.runner.withUserConfiguration(marked)
				.withPropertyValues("spring.data.redis.url=" + application.uri(), "queues.port=" + queues.port())
				.run((context) -> {
					context.getBean(DelayQueueOperations.class).schedule("orders", "o", Duration.ofHours(1));
					assertThat(keys(context.getBean("queueConnections", RedisConnectionFactory.class))).isPositive();
					context.getBean(StringRedisTemplate.class).opsForValue().set("mine", "1");
					assertThat(keys(context.getBean("redisConnectionFactory", RedisConnectionFactory.class)))
						.isEqualTo(1);
				});
		}
	}

	@Test
	void markedConnectionFactoryIsSufficient() {
		try (RedisServer queues = RedisServer.builder().start()) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DelayQueueAutoConfiguration.class))
				.withUserConfiguration(Marked.class)
				.withPropertyValues("queues.port=" + queues.port())
				.run((context) -> assertThat(context.getBean(DelayQueueOperations.class)
					.schedule("orders", "o", Duration.ofHours(1))
					.isAccepted()).isTrue());
		}
	}

	@Test
	void searchForMarkedConnectionFactoriesInstantiatesNoBean() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DelayQueueAutoConfiguration.class))
			.withUserConfiguration(Opaque.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean("opaque", Made.class)
				.satisfies((made) -> assertThat(made.early()).isFalse()));
	}

	@Test
	void noBeansWithoutConnectionFactory() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DelayQueueAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueOperations.class));
	}

	@Test
	void twoUnmarkedConnectionFactoriesPreventTheStart() {
		this.runner.withUserConfiguration(Two.class)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("RedisConnectionFactory of delayed messages is 'one, other' but must be one bean")
				.hasMessageContaining("Annotate the one for delayed messages with @DelayQueueRedis"));
	}

	@Test
	void postProcessorsOfTheApplicationDoNotReachTheTemplate() {
		try (RedisServer redis = RedisServer.builder().start()) {
			this.runner.withUserConfiguration(Templates.class)
				.withPropertyValues("spring.data.redis.url=" + redis.uri())
				.run((context) -> {
					DelayQueueOperations operations = context.getBean(DelayQueueOperations.class);
					context.getBean(StringRedisTemplate.class).execute(new SessionCallback<>() {

						@Override
						public <K, V> Object execute(RedisOperations<K, V> session) {
							session.multi();
							operations.schedule("orders", "o", Duration.ofHours(1));
							return session.exec();
						}

					});
					assertThat(context.getBeansOfType(RedisTemplate.class)).hasSize(2)
						.isEqualTo(context.getBean(Templates.class).changed);
					try (RespClient client = redis.client()) {
						assertThat(client.call("HGET", "dq:queues", "orders")).isEqualTo("1");
					}
				});
		}
	}

	private static long keys(RedisConnectionFactory connections) {
		try (var connection = connections.getConnection()) {
			Long keys = connection.serverCommands().dbSize();
			return (keys != null) ? keys : 0;
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Marked {

		@Bean(defaultCandidate = false)
		@DelayQueueRedis
		JedisConnectionFactory queueConnections(@Value("${queues.port}") int port) {
			return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedAsDefault {

		@Bean
		@DelayQueueRedis
		JedisConnectionFactory queueConnections(@Value("${queues.port}") int port) {
			return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
		}

	}

	/** Changes all templates that are beans. */
	static class Templates implements BeanPostProcessor {

		final Map<String, RedisTemplate<?, ?>> changed = new HashMap<>();

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof RedisTemplate<?, ?> template) {
				template.setEnableTransactionSupport(true);
				template.setKeySerializer(RedisSerializer.java());
				this.changed.put(name, template);
			}
			return bean;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Two {

		@Bean
		JedisConnectionFactory one() {
			return new JedisConnectionFactory();
		}

		@Bean
		JedisConnectionFactory other() {
			return new JedisConnectionFactory();
		}

	}

	/**
	 * Configuration with a bean whose type is unknown until its FactoryBean is
	 * instantiated.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Opaque {

		@Bean
		static FactoryBean<?> opaque() {
			boolean early = StackWalker.getInstance()
				.walk((frames) -> frames
					.anyMatch((frame) -> frame.getClassName().equals(ConfigurationClassPostProcessor.class.getName())));
			return new FactoryBean<Object>() {

				@Override
				public Object getObject() {
					return new Made(early);
				}

				@Override
				public Class<?> getObjectType() {
					return Made.class;
				}

			};
		}

	}

	/**
	 * Product of the factory.
	 *
	 * @param early whether the factory was instantiated while bean definitions were still
	 * being read
	 */
	record Made(boolean early) {
	}

}
