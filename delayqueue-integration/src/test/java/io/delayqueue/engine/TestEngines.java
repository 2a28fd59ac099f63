package io.delayqueue.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.lifecycle.Intervals;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A template for engines on the shared Redis. After a test it stops the consumers, and
 * closes the engines and the template.
 */
public final class TestEngines implements BeforeEachCallback, AfterEachCallback {

	/**
	 * Intervals with which a test need not wait for the checks of background tasks.
	 */
	static final Intervals SHORT = new Intervals(Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofMinutes(5),
			Duration.ofSeconds(1), Duration.ofMillis(200), Duration.ofMinutes(1), Duration.ofSeconds(1),
			Duration.ofMillis(300), Duration.ofMillis(200), Duration.ofMillis(100));

	private final List<DelayQueueEngine> engines = new ArrayList<>();

	private final List<QueueConsumer> consumers = new ArrayList<>();

	private final JedisConnectionFactory connections;

	private final DelayQueueRedisTemplate template;

	/** Engines on the shared Redis. */
	public TestEngines() {
		this(SharedRedis.get().host(), SharedRedis.get().port());
	}

	/** Engines that reach Redis under another address. */
	TestEngines(String host, int port) {
		this.connections = new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port));
		this.template = new DelayQueueRedisTemplate(this.connections);
	}

	@Override
	public void beforeEach(ExtensionContext context) {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.template.afterPropertiesSet();
		this.template.start();
	}

	@Override
	public void afterEach(ExtensionContext context) {
		stop();
		this.template.destroy();
		this.connections.destroy();
	}

	/** Settings of a queue without limits. */
	public static QueueSettings settings(String queue, int partitions) {
		return settings(queue, partitions, GroupSettings.NONE, 1000, 10);
	}

	static QueueSettings settings(String queue, int partitions, GroupSettings groups, int maxDefers, int concurrency) {
		RetrySettings retry = new RetrySettings(1, 3, maxDefers, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, partitions, concurrency, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry, groups, ExpirySettings.NEVER, FlowSettings.NONE,
				EndSettings.NONE);
	}

	/** The template that engines are built with. */
	public DelayQueueRedisTemplate template() {
		return this.template;
	}

	/** Builds an engine, and closes it after the test. */
	public DelayQueueEngine engine(String prefix, Queues queues) {
		return engine(prefix, queues, (builder) -> builder);
	}

	/** Builds an engine with further options, and closes it after the test. */
	DelayQueueEngine engine(String prefix, Queues queues, UnaryOperator<DelayQueueEngineBuilder> options) {
		return add(options.apply(DelayQueueEngine.builder(this.template, queues).keyPrefix(prefix)).build());
	}

	/** Closes an engine after the test. */
	DelayQueueEngine add(DelayQueueEngine engine) {
		this.engines.add(engine);
		return engine;
	}

	/** Starts a consumer, and stops it after the test. */
	QueueConsumer start(QueueConsumer consumer) {
		this.consumers.add(consumer);
		consumer.start();
		return consumer;
	}

	DelayQueueEngine first() {
		return this.engines.get(0);
	}

	List<QueueConsumer> consumers() {
		return this.consumers;
	}

	/** Stops all consumers. */
	void stopConsumers() {
		this.consumers.forEach((consumer) -> consumer.stop(Duration.ofSeconds(10)));
	}

	/** Stops all consumers and closes all engines, so that a test can begin again. */
	void stop() {
		stopConsumers();
		this.consumers.clear();
		this.engines.forEach(DelayQueueEngine::close);
		this.engines.clear();
	}

}
