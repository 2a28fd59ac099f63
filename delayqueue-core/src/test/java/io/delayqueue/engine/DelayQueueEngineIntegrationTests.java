package io.delayqueue.engine;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The engine delivers messages without Spring Boot and without an application context.
 */
class DelayQueueEngineIntegrationTests {

	private final String prefix = "engine-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	@Test
	void messagesAreDeliveredWithoutSpringBoot() {
		assertThat(ClassUtils.isPresent("org.springframework.boot.SpringApplication", null)).isFalse();
		URI redis = SharedRedis.get().uri();
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(redis.getHost(), redis.getPort()));
		connections.afterPropertiesSet();
		connections.start();
		DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections);
		template.afterPropertiesSet();
		template.start();
		try (DelayQueueEngine engine = DelayQueueEngine.builder(template, this::settings)
			.keyPrefix(this.prefix)
			.build()) {
			QueueConsumer consumer = engine.consumers().create(settings("orders"), (delivery) -> {
				this.handled.add(delivery.id());
				return null;
			}, null, null);
			consumer.start();
			String id = engine.operations()
				.schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO))
				.id();

			await().until(() -> this.handled.equals(List.of(id)));

			consumer.stop(Duration.ofSeconds(10));
			assertThat(engine.loops().statuses()).isEmpty();
		}
		finally {
			template.destroy();
			connections.destroy();
		}
	}

	private QueueSettings settings(String queue) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000, Duration.ofSeconds(10),
				Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER);
	}

}
