package io.delayqueue.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.delayqueue.RecurringSchedule;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringSteps;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.engine.RecurringQueue.QUEUE;
import static io.delayqueue.engine.RecurringQueue.create;
import static io.delayqueue.engine.RecurringQueue.daily;
import static io.delayqueue.engine.RecurringQueue.epochs;
import static io.delayqueue.engine.RecurringQueue.everySecond;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The mark of a queue with recurring schedules: a queue without the mark costs no call.
 */
@Tag("slow")
class RecurringMarkIntegrationTests {

	@RegisterExtension
	final RecurringQueue queue = new RecurringQueue();

	@Test
	void aQueueWithoutDefinitionsCostsNoCall() {
		DelayQueueEngine engine = this.queue.engine(2);
		this.queue.consume(engine, 2);
		create(this.queue.engine(1), RecurringSchedule.to("other", "a").payload("p").every(Duration.ofDays(1)));
		await().until(() -> engine.directory().recurring().contains("other"));
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			await().until(() -> log.count("EVALSHA") >= 8);
			assertThat(log.commands()
				.stream()
				.filter((command) -> command.arguments().toString().contains(this.queue.prefix() + ":{digests:"))
				.filter((command) -> command.arguments().toString().contains(":recurrences"))).isEmpty();
		}
	}

	@Test
	void theMarkOfAQueueIsRemovedAfterItsLastDefinition() {
		DelayQueueEngine engine = this.queue.engine(2);
		this.queue.consume(engine, 2);
		create(engine, daily("a"));
		assertThat(removeMark(engine, (partition) -> false)).isFalse();
		engine.recurring().delete(QUEUE, "a");

		assertThat(removeMark(engine, (partition) -> false)).isTrue();
		assertThat(this.queue.mark()).isNull();
		await().until(() -> !engine.directory().recurring().contains(QUEUE));
		assertThat(removeMark(engine, (partition) -> false)).isFalse();
		create(engine, everySecond("b"));
		assertThat(this.queue.mark()).isNotNull();
		await().until(() -> this.queue.handledOf("b").size() >= 2);
	}

	@Test
	void theMarkStaysIfADefinitionIsStoredWhileItIsBeingRemoved() {
		DelayQueueEngine engine = this.queue.engine(2);
		create(engine, daily("a"));
		engine.recurring().delete(QUEUE, "a");
		// The partition of the definition has been checked before
		assertThat(removeMark(engine, (partition) -> {
			if (partition.number() == 1) {
				String key = Stream.iterate("a", (last) -> last + "a")
					.filter((one) -> Partitioner.of(one, null, 2) == 0)
					.findFirst()
					.orElseThrow();
				create(engine, daily(key));
			}
			return false;
		})).isFalse();
		assertThat(this.queue.mark()).isNotNull();
	}

	@Test
	void theMarkStaysIfANewerEpochThatIsNotKnownYetHasDefinitions() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		create(engine, daily("a"));
		engine.recurring().pause(QUEUE, "a");
		Epochs known = epochs(engine);
		engine.admin().repartition(QUEUE, 2);
		await().atMost(Duration.ofMinutes(1)).until(() -> this.queue.count("recurring", 1) == 0);

		RecurringSteps steps = new RecurringSteps(this.queue.calls());
		assertThat(engine.directory().recurring().removeIfUnused(known, steps::hasDefinitions)).isFalse();
		assertThat(this.queue.mark()).isNotNull();
	}

	@Test
	void aProcessMarksAQueueAgainThatRedisHasLost() {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("a"));
		this.queue.engines()
			.template()
			.delete(Objects.requireNonNull(this.queue.engines().template().keys(this.queue.prefix() + ":*")));
		create(engine, daily("a"));
		assertThat(this.queue.mark()).isNotNull();
	}

	@Test
	void anOwnerMarksAQueueAgainOfWhichOnlyTheMarkWasLost() {
		DelayQueueEngine engine = this.queue.engine(1);
		this.queue.consume(engine, 1);
		create(engine, daily("a"));
		await().until(() -> engine.directory().recurring().contains(QUEUE));
		this.queue.engines().template().delete(this.queue.prefix() + ":{members}:epochs");
		// The owner may do it before this process has noticed the loss
		await().until(() -> this.queue.mark() != null || !engine.directory().recurring().contains(QUEUE));
		engine.directory().recurring().mark(QUEUE);
		assertThat(this.queue.mark()).isNotNull();
	}

	private boolean removeMark(DelayQueueEngine engine, Predicate<Partition> isUsed) {
		RecurringSteps steps = new RecurringSteps(this.queue.calls());
		return engine.directory()
			.recurring()
			.removeIfUnused(epochs(engine), (partition) -> steps.hasDefinitions(partition) || isUsed.test(partition));
	}

}
