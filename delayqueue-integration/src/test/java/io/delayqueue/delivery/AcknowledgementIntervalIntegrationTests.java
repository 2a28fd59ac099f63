package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acknowledgements that nobody waits for share calls to Redis, others are sent at once.
 */
class AcknowledgementIntervalIntegrationTests extends GatedPartition {

	private static final int MESSAGES = 20;

	private final List<SettlementWriter> writers = new ArrayList<>();

	@AfterEach
	void stopWriters() {
		this.writers.forEach((writer) -> writer.stop(Duration.ZERO));
	}

	@Test
	void anAcknowledgementThatNobodyWaitsForIsSentTenMillisecondsAfterTheLast() {
		List<Duration> times = times(state(MESSAGES, FlowSettings.NONE));

		assertThat(times.stream().reduce(Duration.ZERO, Duration::plus))
			.isGreaterThanOrEqualTo(Duration.ofMillis(10 * (MESSAGES - 1)));
	}

	@Test
	void anAcknowledgementThatALimitWaitsForIsSentAtOnce() {
		assertThat(Collections.min(times(state(MESSAGES, new FlowSettings(null, 5)))))
			.isLessThan(Duration.ofMillis(10));
	}

	@Test
	void anAcknowledgementWithoutWhichNoPermitIsFreeIsSentAtOnce() {
		ConsumerState state = state(MESSAGES, FlowSettings.NONE);
		for (int i = 0; i < MESSAGES; i++) {
			state.permits().take(1);
			state.permits().leaveEarly();
		}

		assertThat(Collections.min(times(state))).isLessThan(Duration.ofMillis(10));
	}

	@Test
	void anAcknowledgementIsSentAtOnceByAConsumerThatStops() {
		ConsumerState state = state(MESSAGES, FlowSettings.NONE);
		state.close();

		assertThat(Collections.min(times(state))).isLessThan(Duration.ofMillis(10));
	}

	/**
	 * Acknowledges messages, each after the one before it was settled.
	 * @return the time from each to the next
	 */
	private List<Duration> times(ConsumerState state) {
		SettlementWriter writer = writer(state);
		writer.start();
		for (int i = 0; i < MESSAGES; i++) {
			shared.schedule(this.partition, "m-" + i, Duration.ZERO);
		}
		List<Duration> times = new ArrayList<>();
		long last = System.nanoTime();
		for (Entry entry : shared.take(this.partition, TestActors.CONSUMER)) {
			DeliveryTask task = TestActors.task(this.partition, entry);
			writer.add(Settlement.acknowledge(task));
			while (task.stage() != Stage.SETTLED) {
				Thread.onSpinWait();
			}
			long now = System.nanoTime();
			times.add(Duration.ofNanos(now - last));
			last = now;
		}
		return times;
	}

	private ConsumerState state(int concurrency, FlowSettings flow) {
		return TestActors.state(TestActors.settings(this.partition, concurrency, 3, flow), this.gate);
	}

	private SettlementWriter writer(ConsumerState state) {
		Signals signals = new Signals();
		SettlementWriter writer = new SettlementWriter(this.partition, state, new PendingMessages(shared.calls()),
				TestActors.listener(shared, state, signals, new QueueObserver() {
				}), new HoldWriter(state, shared.holds(signals, shared.fleet(signals, this.gate), new QueueObserver() {
				}), this.tasks), this.tasks);
		this.writers.add(writer);
		return writer;
	}

}
