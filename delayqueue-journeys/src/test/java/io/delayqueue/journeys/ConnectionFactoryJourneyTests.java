package io.delayqueue.journeys;

import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;

/**
 * Every feature over connection factories whose class the library does not know: a JDK
 * proxy, and a decorator.
 */
@Tag("slow")
@ParameterizedClass
@ValueSource(classes = { ConnectionFactoryJourneyTests.Proxied.class, ConnectionFactoryJourneyTests.Decorated.class })
@SuppressWarnings("NullAway.Init")
class ConnectionFactoryJourneyTests extends EveryFeature {

	private static StartedShop shop;

	ConnectionFactoryJourneyTests(Class<?> connections) {
	}

	@BeforeParameterizedClassInvocation
	static void start(Class<?> connections) {
		shop = StartedShop.on(SharedRedis.get().uri())
			.with("spring.data.redis.client-type", "jedis")
			.and(connections)
			.start();
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		shop.close();
	}

	@Override
	StartedShop shop() {
		return shop;
	}

	@Configuration(proxyBeanMethods = false)
	static class Proxied {

		@Bean
		static BeanPostProcessor proxies() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof RedisConnectionFactory)
							? new ProxyFactory(RedisConnectionFactory.class, new SingletonTargetSource(bean)).getProxy()
							: bean;
				}
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Decorated {

		@Bean
		static BeanPostProcessor decorators() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof RedisConnectionFactory connections) ? new Decorator(connections) : bean;
				}
			};
		}

	}

	/** Passes all calls on, like a decorator that measures them. */
	record Decorator(RedisConnectionFactory connections) implements RedisConnectionFactory {

		@Override
		public RedisConnection getConnection() {
			return this.connections.getConnection();
		}

		@Override
		public RedisClusterConnection getClusterConnection() {
			return this.connections.getClusterConnection();
		}

		@Override
		public RedisSentinelConnection getSentinelConnection() {
			return this.connections.getSentinelConnection();
		}

		@Override
		public boolean getConvertPipelineAndTxResults() {
			return this.connections.getConvertPipelineAndTxResults();
		}

		@Override
		public DataAccessException translateExceptionIfPossible(RuntimeException failure) {
			return this.connections.translateExceptionIfPossible(failure);
		}

	}

}
