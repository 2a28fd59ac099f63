package io.delayqueue.example.engine;

import java.time.Duration;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class EngineTests {

	@Test
	void theEngineIsABean() {
		try (RedisServer redis = RedisServer.builder().start();
				AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(RedisConnectionFactory.class,
					() -> new JedisConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port())));
			context.registerBean(Queues.class, () -> EngineTests::settings);
			context.register(EngineConfiguration.class);
			context.refresh();
			DelayQueueEngine engine = context.getBean(DelayQueueEngine.class);
			String id = engine.operations()
				.schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO))
				.id();
			assertThat(engine.operations().find(MessageKey.of("orders", id))).isPresent();
		}
	}

	private static QueueSettings settings(String queue) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000, Duration.ofSeconds(10),
				Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER, FlowSettings.NONE,
				EndSettings.NONE);
	}

}
