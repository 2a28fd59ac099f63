package io.delayqueue.engine;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a process keeps in memory of partitions that it has used.
 */
@Tag("slow")
class UsedPartitionsIntegrationTests {

	private static final int PARTITIONS = 64;

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	@Test
	void aProducerKeepsNoPartitionThatItHasUsed() throws IllegalAccessException {
		DelayQueueEngine engine = this.engines.engine("used-" + UUID.randomUUID(),
				(queue) -> TestEngines.settings(queue, PARTITIONS));

		IntStream.range(0, 10 * PARTITIONS).forEach((n) -> use(engine, n));

		// The last hints are sent in the background
		Awaitility.await().untilAsserted(() -> assertThat(partitionsIn(engine)).isZero());
	}

	@Test
	void aConsumerKeepsNoActorOfAnEpochThatHasEnded() {
		QueueSettings settings = TestEngines.settings("orders", 1);
		DelayQueueEngine engine = this.engines.engine("used-" + UUID.randomUUID(), (queue) -> settings);
		this.engines.start(engine.consumers().create(settings, (delivery) -> null, null, null));
		engine.operations().schedule(ScheduleRequest.to("orders").payload("p").delay(Duration.ZERO));
		assertThat(actorsOfTheFirstEpoch(engine)).isNotEmpty();
		engine.admin().repartition("orders", 2);
		Awaitility.await()
			.until(() -> !engine.directory().cached(settings).newest().announced()
					&& engine.directory().cached(settings).newest().number() == 1);

		Epochs epochs = engine.directory().read("orders").orElseThrow();
		engine.directory().change(epochs, epochs.without(0));

		Awaitility.await().untilAsserted(() -> assertThat(actorsOfTheFirstEpoch(engine)).isEmpty());
	}

	private static List<String> actorsOfTheFirstEpoch(DelayQueueEngine engine) {
		return engine.tasks()
			.statuses()
			.stream()
			.map(TaskStatus::name)
			.filter((name) -> name.endsWith("orders:0"))
			.toList();
	}

	private static void use(DelayQueueEngine engine, int n) {
		String id = engine.operations()
			.schedule(ScheduleRequest.to("orders").group("g" + n).payload("p").delay(Duration.ZERO))
			.id();
		assertThat(engine.operations().find("orders", id)).isPresent();
		engine.operations().cancel("orders", id);
		if (n % PARTITIONS == 0) {
			engine.admin().pause("orders");
			engine.admin().resume("orders");
		}
	}

	/** Counts the partitions to which objects of the library refer. */
	private static int partitionsIn(Object root) throws IllegalAccessException {
		Deque<Object> left = new ArrayDeque<>();
		Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		add(left, root);
		int partitions = 0;
		while (!left.isEmpty()) {
			Object next = left.pop();
			if (!seen.add(next)) {
				continue;
			}
			if (next instanceof Partition) {
				partitions++;
			}
			else if (next instanceof Map<?, ?> map) {
				map.forEach((key, value) -> {
					add(left, key);
					add(left, value);
				});
			}
			else if (next instanceof Collection<?> all) {
				all.forEach((element) -> add(left, element));
			}
			else if (next instanceof Object[] all) {
				Arrays.stream(all).forEach((element) -> add(left, element));
			}
			else if (next.getClass().getName().startsWith("io.delayqueue.")) {
				addFields(left, next);
			}
		}
		return partitions;
	}

	private static void addFields(Deque<Object> left, Object of) throws IllegalAccessException {
		for (Class<?> type = of.getClass(); type != null
				&& type.getName().startsWith("io.delayqueue."); type = type.getSuperclass()) {
			for (Field field : type.getDeclaredFields()) {
				if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
					field.setAccessible(true);
					add(left, field.get(of));
				}
			}
		}
	}

	private static void add(Deque<Object> left, @Nullable Object one) {
		if (one != null) {
			left.push(one);
		}
	}

}
