package io.delayqueue.example.readme;

import io.delayqueue.autoconfigure.DelayQueueRedis;

import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** Excluded from the component scan: {@link OtherRedisTests} imports it. */
class OtherRedis {

	@Bean
	@DelayQueueRedis
	JedisConnectionFactory delayQueueConnections() {
		return new JedisConnectionFactory(new RedisStandaloneConfiguration("queues.example.com"));
	}

}
