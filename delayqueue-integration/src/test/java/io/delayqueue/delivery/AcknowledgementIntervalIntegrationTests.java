package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acknowledgements that nobody waits for share calls to Redis, others are sent at once.
 */
class AcknowledgementIntervalIntegrationTests extends GatedPartition {

	private static final int MESSAGES = 20;

	private static final String GROUP = "customer-7";

	private final TaskPool closed = new TaskPool();

	private final List<SettlementWriter> writers = new ArrayList<>();

	@AfterEach
	void stopWriters() {
		this.closed.close();
		this.writers.forEach((writer) -> writer.stop(Duration.ZERO));
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = GROUP)
	void anAcknowledgementThatNobodyWaitsForIsSentFiveMillisecondsAfterTheLast(@Nullable String group) {
		SettlementWriter writer = writer(state(FlowSettings.NONE), this.tasks);
		writer.start();
		schedule(MESSAGES, group);
		long begun = System.nanoTime();

		for (DeliveryTask task : take(GroupLimit.NONE)) {
			writer.add(Settlement.acknowledge(task));
			while (task.stage() != Stage.SETTLED) {
				Thread.onSpinWait();
			}
		}

		assertThat(Duration.ofNanos(System.nanoTime() - begun))
			.isGreaterThanOrEqualTo(Duration.ofMillis(5 * (MESSAGES - 1)));
	}

	@Test
	void anAcknowledgementThatALimitWaitsForIsSentAtOnce() {
		assertThatEachIsSentAtOnce(state(new FlowSettings(null, 5)));
	}

	@Test
	void anAcknowledgementThatTheQuotaOfAGroupWaitsForIsSentAtOnce() {
		GroupSettings quota = new GroupSettings(2 * MESSAGES, false, false, 0, null, null, Map.of());

		QueueSettings settings = TestActors.settings(this.partition, MESSAGES, TestActors.retry(3), quota,
				FlowSettings.NONE);
		schedule(MESSAGES, GROUP);

		assertThatEachIsSentAtOnce(TestActors.state(settings, this.gate), take(GroupLimit.NONE));
	}

	@Test
	void anAcknowledgementThatAParkedMessageWaitsForIsSentAtOnce() {
		schedule(2 * MESSAGES, GROUP);

		assertThatEachIsSentAtOnce(state(FlowSettings.NONE), take(new GroupLimit(MESSAGES, null)));
	}

	@Test
	void anAcknowledgementWithoutWhichNoPermitIsFreeIsSentAtOnce() {
		ConsumerState state = state(FlowSettings.NONE);
		for (int i = 0; i < MESSAGES; i++) {
			state.permits().take(1);
			state.permits().leaveEarly();
		}

		assertThatEachIsSentAtOnce(state);
	}

	@Test
	void anAcknowledgementOfTheOnlyPermitIsSentAtOnce() {
		assertThatEachIsSentAtOnce(
				TestActors.state(TestActors.settings(this.partition, 1, 3, FlowSettings.NONE), this.gate));
	}

	@Test
	void anAcknowledgementIsSentAtOnceByAConsumerThatStops() {
		ConsumerState state = state(FlowSettings.NONE);
		state.close();

		assertThatEachIsSentAtOnce(state);
	}

	private void assertThatEachIsSentAtOnce(ConsumerState state) {
		schedule(MESSAGES, null);
		assertThatEachIsSentAtOnce(state, take(GroupLimit.NONE));
	}

	/** The test itself runs the writer, so that no time passes meanwhile. */
	private void assertThatEachIsSentAtOnce(ConsumerState state, List<DeliveryTask> tasks) {
		this.closed.close();
		SettlementWriter writer = writer(state, this.closed);
		assertThat(tasks).hasSize(MESSAGES);
		for (DeliveryTask task : tasks) {
			writer.add(Settlement.acknowledge(task));
			writer.settle();

			assertThat(task.stage()).isEqualTo(Stage.SETTLED);
		}
	}

	private void schedule(int messages, @Nullable String group) {
		for (int i = 0; i < messages; i++) {
			shared.schedule(this.partition, new StoredId("m-" + i, group), Duration.ZERO);
		}
	}

	private List<DeliveryTask> take(GroupLimit groups) {
		return shared.take(this.partition, TestActors.CONSUMER, groups)
			.stream()
			.map((entry) -> TestActors.task(this.partition, entry))
			.toList();
	}

	private ConsumerState state(FlowSettings flow) {
		return TestActors.state(TestActors.settings(this.partition, MESSAGES, 3, flow), this.gate);
	}

	private SettlementWriter writer(ConsumerState state, TaskPool pool) {
		Signals signals = new Signals();
		SettlementWriter writer = new SettlementWriter(this.partition, state, new PendingMessages(shared.calls()),
				TestActors.listener(shared, state, signals, new QueueObserver() {
				}), new HoldWriter(state, shared.holds(signals, shared.fleet(signals, this.gate), new QueueObserver() {
				}), this.tasks), pool);
		this.writers.add(writer);
		return writer;
	}

}
