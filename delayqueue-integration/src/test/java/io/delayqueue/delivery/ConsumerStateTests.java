package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;

import io.delayqueue.queue.Partition;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a consumer counts as in flight, and when a permit is free again.
 */
class ConsumerStateTests {

	private final ConsumerState state = TestActors.state(new Partition("orders", 0), 3);

	private int ended;

	ConsumerStateTests() {
		this.state.onEnded(() -> this.ended++);
	}

	@Test
	void aQueueIsThrottledOnlyAfterALimitHasDelayedMessages() {
		assertThat(this.state.isThrottled()).isFalse();

		this.state.throttled();

		assertThat(this.state.isThrottled()).isTrue();
	}

	@Test
	void aRefusedMessageGivesItsPermitBackOnce() {
		DeliveryTask task = HandlerInvokerTests.task("o-1");
		TestActors.hold(this.state, List.of(task));
		this.state.permits().take(2);
		assertThat(this.state.settling(task)).isTrue();
		assertThat(this.state.settling(task)).as("settled once").isFalse();

		this.state.refused(task);
		assertThat(this.state.permits().taken()).isEqualTo(2);
		assertThat(this.state.partition(task.partition()).refused()).isEqualTo(1);
		assertThat(this.state.settled(task)).as("refused before").isTrue();
		assertThat(this.state.permits().taken()).isEqualTo(2);
		assertThat(this.state.partition(task.partition()).refused()).isZero();

		assertThat(this.ended).isEqualTo(1);
		assertThat(task.stage()).isEqualTo(Stage.SETTLED);
		this.state.permits().giveBack(2);
		assertThat(this.state.awaitSettled(Duration.ZERO)).isZero();
	}

	@Test
	void aRefusedMessageWithoutAPermitIsCountedNoMore() {
		DeliveryTask task = HandlerInvokerTests.task("o-1");
		TestActors.hold(this.state, List.of(task));
		this.state.returnPermit(task);
		this.state.settling(task);

		this.state.refused(task);
		assertThat(this.state.permits().taken()).isZero();
		this.state.settled(task);

		assertThat(this.state.permits().taken()).isZero();
		assertThat(this.ended).isEqualTo(1);
		assertThat(this.state.permits().take(5)).isEqualTo(3);
	}

	@Test
	void aPartitionIsNotReadWhileAsManyMessagesAsTheConcurrencyAreRefused() {
		List<DeliveryTask> tasks = List.of(HandlerInvokerTests.task("a"), HandlerInvokerTests.task("b"),
				HandlerInvokerTests.task("c"));
		TestActors.hold(this.state, tasks);
		tasks.forEach(this.state::settling);
		PartitionState partition = TestActors.first(this.state);
		assertThat(this.state.isReadable(partition)).isTrue();

		tasks.forEach(this.state::refused);
		assertThat(this.state.isReadable(partition)).isFalse();

		this.state.settled(tasks.get(0));
		assertThat(this.state.isReadable(partition)).isTrue();
	}

}
