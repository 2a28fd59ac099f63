package io.delayqueue.example.engine;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.DelayQueueRedisTemplate;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@Configuration(proxyBeanMethods = false)
class EngineConfiguration {

	@Bean
	DelayQueueRedisTemplate delayQueueRedisTemplate(RedisConnectionFactory connections) {
		return new DelayQueueRedisTemplate(connections);
	}

	@Bean
	DelayQueueEngine delayQueueEngine(DelayQueueRedisTemplate template, Queues queues) {
		return DelayQueueEngine.builder(template, queues).keyPrefix("shop").build();
	}

}
