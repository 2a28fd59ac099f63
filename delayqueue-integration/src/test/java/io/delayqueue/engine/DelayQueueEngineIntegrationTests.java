package io.delayqueue.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * The engine without an application context.
 */
class DelayQueueEngineIntegrationTests {

	private final String prefix = "engine-" + UUID.randomUUID();

	private final List<String> handled = new CopyOnWriteArrayList<>();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private DelayQueueEngine engine;

	@BeforeEach
	void build() {
		this.engine = this.engines.engine(this.prefix, this::settings);
	}

	@Test
	void messagesAreDeliveredWithoutAnApplicationContext() {
		QueueConsumer consumer = consumer();
		consumer.start();
		String id = this.engine.operations()
			.schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO))
			.id();

		await().until(() -> this.handled.equals(List.of(id)));

		consumer.stop(Duration.ofSeconds(10));
		assertThat(this.engine.tasks().statuses()).isEmpty();
	}

	@Test
	void aSecondConsumerOfAQueueIsRefusedAndLeavesNothingBehind() {
		QueueConsumer consumer = consumer();
		consumer.start();
		QueueConsumer second = consumer();

		assertThatIllegalStateException().isThrownBy(second::start);

		assertThat(second.isRunning()).isFalse();
		assertThat(this.engine.tasks().statuses()).extracting(TaskStatus::name).doesNotHaveDuplicates();
		consumer.stop(Duration.ofSeconds(10));
		second.start();
		second.stop(Duration.ofSeconds(10));
	}

	@Test
	void aRunningConsumerKeepsItsProcessAlive() {
		QueueConsumer consumer = consumer();
		assertThat(keepAliveThreads()).isEmpty();

		consumer.start();
		assertThat(keepAliveThreads()).isNotEmpty();

		consumer.stop(Duration.ofSeconds(10));
		await().until(() -> keepAliveThreads().isEmpty());
	}

	private static List<String> keepAliveThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !thread.isDaemon() && thread.getName().startsWith("delayqueue-"))
			.map(Thread::getName)
			.toList();
	}

	private QueueConsumer consumer() {
		return this.engine.consumers().create(settings("orders"), (delivery) -> {
			this.handled.add(delivery.id());
			return null;
		}, null, null);
	}

	private QueueSettings settings(String queue) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(queue, 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000, Duration.ofSeconds(10),
				Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER, FlowSettings.NONE,
				EndSettings.NONE);
	}

}
