package io.delayqueue.test;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.schedule.UnsentCalls;
import io.delayqueue.test.redis.TestRedis;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisServerCommands;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Auto-configuration for tests of delayed messages: a time that can be advanced, recorded
 * deliveries, and a Redis.
 */
@AutoConfiguration(before = { DataRedisAutoConfiguration.class, DelayQueueAutoConfiguration.class },
		afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
public final class DelayQueueTestAutoConfiguration implements AopInfrastructureBean {

	@Bean
	TimeShift delayQueueTimeShift() {
		return new TimeShift();
	}

	@Bean
	Deliveries delayQueueDeliveries() {
		return new Deliveries();
	}

	@Bean
	static BeanPostProcessor delayQueueTestBeanPostProcessor(ObjectProvider<TimeShift> shift,
			ObjectProvider<Deliveries> deliveries, ObjectProvider<LeaseThief> thief) {
		return new RecordingPostProcessor(shift, deliveries, thief);
	}

	@Bean
	LeaseThief delayQueueLeaseThief(DelayQueueEngine engine) {
		return new LeaseThief(engine);
	}

	@Bean
	DueWork delayQueueDueWork(DelayedListenerRegistry listeners, DelayQueueEngine engine,
			ObjectProvider<UnsentCalls> outboxes) {
		return new DueWork(listeners, engine, outboxes.stream().toList());
	}

	@Bean
	DelayQueueTime delayQueueTime(TimeShift shift, RedisAccess redis, DueWork work) {
		RedisCallback<Long> time = (connection) -> {
			RedisServerCommands server = connection.serverCommands();
			return server.time(TimeUnit.MICROSECONDS);
		};
		InstantSource clock = () -> {
			Long micros = redis.template().execute(time);
			return Instant.EPOCH.plusNanos(TimeUnit.MICROSECONDS.toNanos((micros != null) ? micros : 0));
		};
		return new DelayQueueTime(shift, clock, work);
	}

	@Bean
	TestQueues delayQueueTestQueues(DelayQueueOperations operations, DelayQueueAdmin admin, Deliveries deliveries,
			DelayQueueTime time, DelayedListenerRegistry listeners) {
		return new TestQueues(operations, admin, deliveries, time, listeners);
	}

	@Bean
	OwnKeys delayQueueOwnKeys(RedisAccess redis, @Value("${delayqueue.key-prefix}") String prefix) {
		return new OwnKeys(redis.template(), prefix);
	}

	@Bean
	FreshStart delayQueueFreshStart(OwnKeys keys, DelayedListenerRegistry listeners, Deliveries deliveries,
			TimeShift shift, DueWork work) {
		return new FreshStart(keys, listeners, deliveries, shift, work);
	}

	/** Connects the application to the Redis that all tests share. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(DataRedisConnectionDetails.class)
	@ConditionalOnBooleanProperty(name = "delayqueue-test.replace-redis", matchIfMissing = true)
	@Import(TestRedis.class)
	static class OwnRedis {

	}

	/**
	 * Replaces the script executor of each Redis template, also that of the library, to
	 * shift the time, and wraps the factory of consumers, to record deliveries.
	 */
	private record RecordingPostProcessor(ObjectProvider<TimeShift> shift, ObjectProvider<Deliveries> deliveries,
			ObjectProvider<LeaseThief> thief) implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof RedisTemplate<?, ?> template) {
				shift(template);
			}
			if (bean instanceof RedisAccess redis) {
				shift(redis.template());
			}
			if (bean instanceof QueueConsumerFactory factory) {
				return new RecordingConsumerFactory(factory, this.deliveries.getObject(),
						(delivery) -> this.thief.getObject().accept(delivery));
			}
			return bean;
		}

		private <K> void shift(RedisTemplate<K, ?> template) {
			template.setScriptExecutor(new ShiftedScripts<>(template, this.shift.getObject()));
		}

	}

}
