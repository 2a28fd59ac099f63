package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each delivery ends exactly once, however its handler ends.
 */
class HandlerInvokerTests {

	private static final RetrySettings RETRY = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
			BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());

	private final List<Settlement> ended = new ArrayList<>();

	private final List<Throwable> undecided = new ArrayList<>();

	private final ConsumerState state = TestActors.state(settings(RETRY), new RedisGate(new TaskPool(), null));

	private final HandlerRuns runs = new HandlerRuns(this.state, 1, QueueObserver.NONE,
			(tasks, failure) -> this.undecided.add(failure));

	@Test
	void failureToSettleDoesNotEndDeliveryTwice() {
		MessageInvoker invoker = invoker((delivery) -> null, (settlement) -> {
			this.ended.add(settlement);
			throw new IllegalStateException("queue is full");
		});
		invoker.handleEach(task());
		assertThat(this.undecided).singleElement()
			.satisfies((thrown) -> assertThat(thrown).hasMessage("queue is full"));
		assertThat(this.ended).singleElement()
			.satisfies((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.ACKNOWLEDGE));
		assertThat(this.runs.inFlight()).isZero();
	}

	@Test
	void exceptionOfHandlerEndsItsDelivery() {
		MessageInvoker invoker = invoker((delivery) -> {
			Thread.currentThread().interrupt();
			throw new StackOverflowError();
		}, this.ended::add);
		invoker.handleEach(task());
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.ended).singleElement()
			.satisfies((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.RETRY));
		assertThat(this.runs.inFlight()).isZero();
	}

	@Test
	void stageEndsDeliveryWhenItCompletes() {
		CompletableFuture<String> stage = new CompletableFuture<>();
		MessageInvoker invoker = invoker((delivery) -> stage, this.ended::add);
		invoker.handleEach(task());
		assertThat(this.ended).isEmpty();
		assertThat(this.runs.inFlight()).isEqualTo(1);

		stage.complete("done");
		assertThat(this.ended).hasSize(1);
		assertThat(this.runs.inFlight()).isZero();
	}

	private MessageInvoker invoker(MessageHandler handler, Consumer<Settlement> settlements) {
		return new MessageInvoker(handler, new OutcomePolicy(settings(RETRY), QueueObserver.NONE), this.runs,
				QueueObserver.NONE, MessageTracing.NONE, settlements);
	}

	static QueueSettings settings(RetrySettings retry) {
		return new QueueSettings("orders", 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

	private static List<DeliveryTask> task() {
		return List.of(task("o-1"));
	}

	static DeliveryTask task(String id) {
		return task(id, null, 1000);
	}

	static DeliveryTask task(String id, @Nullable String group, long dueMillis) {
		return task(id, group, dueMillis, new FailureRecord(0, 0, 0, null));
	}

	static DeliveryTask task(String id, @Nullable String group, long dueMillis, FailureRecord failures) {
		long now = System.nanoTime();
		return task(new Entry("1-1", new StoredId(id, group), null, failures, Special.NONE, -1), group, dueMillis,
				new ReadLease(2_000_000, now, now, Duration.ofSeconds(30)));
	}

	static DeliveryTask task(Entry entry, @Nullable String group, long dueMillis, ReadLease lease) {
		return new DeliveryTask(new Partition("orders", 0), entry,
				new MessageRecord(dueMillis, new Envelope("token", group, Map.of(), new byte[0])), RETRY, lease);
	}

}
