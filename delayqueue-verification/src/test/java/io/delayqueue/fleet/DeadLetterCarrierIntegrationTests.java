package io.delayqueue.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.Remaining;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("NullAway.Init")
class DeadLetterCarrierIntegrationTests {

	private static final Epochs EPOCHS = Epochs.from("orders", "1,1:1");

	private static final Partition OLD = new Partition("orders", 0);

	private final JedisConnectionFactory connections = new JedisConnectionFactory(
			new RedisStandaloneConfiguration(SharedRedis.get().host(), SharedRedis.get().port()));

	private DelayQueueRedisTemplate template;

	private DelayQueueEngine engine;

	private EpochCalls epochCalls;

	private DeadLetterCarrier carrier;

	@BeforeEach
	void connect() {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.template = new DelayQueueRedisTemplate(this.connections);
		this.template.afterPropertiesSet();
		this.template.start();
		this.engine = DelayQueueEngine.builder(this.template, (queue) -> settings())
			.keyPrefix("carrier-" + UUID.randomUUID())
			.build();
		this.epochCalls = new EpochCalls(this.engine.calls());
		this.carrier = new DeadLetterCarrier("carrier", this.engine.queues(), this.epochCalls);
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.template.destroy();
		this.connections.destroy();
	}

	@Test
	void aLetterThatStaysIsLoggedOnceAndEndsWhenItIsDiscarded(CapturedOutput output) {
		die("x", "a");
		die("y", "b");
		Epochs first = this.engine.directory().read("orders").orElseThrow();
		this.epochCalls.close(OLD, EPOCHS);
		this.engine.directory().change(first, EPOCHS);
		schedule("x", "c");

		this.carrier.carry(OLD, EPOCHS);
		this.carrier.carry(OLD, EPOCHS);

		assertThat(stays(output)).singleElement().asString().contains("1 dead letters", "orders:0", "[x]", "discard");
		assertThat(this.epochCalls.remaining(OLD)).extracting(Remaining::messages, Remaining::dead)
			.containsExactly(1L, 1L);

		assertThat(this.engine.admin().discard(MessageKey.of("orders", "x").inGroup("a"))).isTrue();
		this.carrier.carry(OLD, EPOCHS);

		assertThat(this.epochCalls.remaining(OLD).messages()).isZero();
		assertThat(this.engine.operations().find(MessageKey.of("orders", "x"))).isPresent();
		assertThat(this.engine.admin().deadLetter(MessageKey.of("orders", "y").inGroup("b"))).isPresent();
		assertThat(stays(output)).hasSize(1);
	}

	private static List<String> stays(CapturedOutput output) {
		return output.getOut().lines().filter((line) -> line.contains("cannot move")).toList();
	}

	private void schedule(String id, String group) {
		this.engine.operations()
			.schedule(ScheduleRequest.to("orders").id(id).group(group).payload("p").delay(Duration.ZERO));
	}

	private void die(String id, String group) {
		QueueConsumer failing = this.engine.consumers().create(settings(), (delivery) -> {
			throw new IllegalStateException("refused");
		}, null, null);
		failing.start();
		schedule(id, group);
		await().until(() -> this.engine.admin().deadLetter(MessageKey.of("orders", id).inGroup(group)).isPresent());
		failing.stop(Duration.ofSeconds(10));
	}

	private static QueueSettings settings() {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
