package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.QueueObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A consumer from one start to its stop: the pipeline that each message passes.
 *
 * <ol>
 * <li>{@link PartitionReader} takes a permit and reads the message;</li>
 * <li>{@link Dispatcher} brings it to {@link Workers}, or gives it back;</li>
 * <li>{@link HandlerInvoker} calls the handler;</li>
 * <li>{@link OutcomePolicy} decides how the delivery is settled;</li>
 * <li>{@link SettlementWriter} settles it in Redis, and {@link ConsumerState} has the
 * permit back;</li>
 * <li>{@link SettlementListener} counts and publishes the end.</li>
 * </ol>
 * Beside the pipeline {@link LeaseRenewer} keeps the leases of the messages in it, and
 * {@link Reclaimer} takes back what consumers hold that have fallen silent.
 */
final class RunningConsumer implements Signals.PartitionSignals {

	private static final Log logger = LogFactory.getLog(RunningConsumer.class);

	private static final Duration LAST_READ = Duration.ofSeconds(2);

	private final ConsumerState state;

	private final Dispatcher dispatcher;

	/** By the partition's number. */
	private final List<PartitionActors> partitions;

	private final TurnThreads timers;

	private final Signals signals;

	private final QueueObserver observer;

	private final Runnable onRedisBack = this::wakeUp;

	private final CountDownLatch stopped = new CountDownLatch(1);

	RunningConsumer(ConsumerState state, Dispatcher dispatcher, List<PartitionActors> partitions, TurnThreads timers,
			Signals signals, QueueObserver observer) {
		this.state = state;
		this.dispatcher = dispatcher;
		this.partitions = partitions;
		this.timers = timers;
		this.signals = signals;
		this.observer = observer;
	}

	/**
	 * The actors of one partition. They start and stop together: on a stop the actors
	 * that bring messages in end first, and those that settle them end last.
	 *
	 * @param state what they share
	 * @param reader reads messages
	 * @param writer settles messages
	 * @param renewer renews leases
	 * @param reclaimer reclaims messages of silent consumers
	 * @param loops the registry of background activities
	 */
	record PartitionActors(PartitionState state, PartitionReader reader, SettlementWriter writer, LeaseRenewer renewer,
			Reclaimer reclaimer, LoopRegistry loops) {

		private void start() {
			this.writer.start();
			this.loops.add(this.writer, this.writer::status);
			this.renewer.renewNow();
			this.reclaimer.checkNow();
			this.reader.start();
			this.loops.add(this.reader, this.reader::status);
		}

		private void wakeUp() {
			this.writer.wakeUp();
			this.renewer.renewNow();
			this.reclaimer.checkNow();
			this.reader.signal();
			this.reader.dueIn(0);
		}

		/** Ends reading, but for the read that is under way. */
		private void stopReading() {
			this.reclaimer.stop();
			this.reader.close();
		}

		private void awaitLastRead(Duration timeout) {
			this.reader.await(timeout);
			this.loops.remove(this.reader);
		}

		private void stop() {
			this.renewer.stop();
			this.writer.stop(Duration.ZERO);
			this.loops.remove(this.writer);
		}

	}

	/**
	 * Starts.
	 * @throws IllegalStateException if another consumer of the queue runs in this process
	 */
	void start() {
		try {
			this.signals.consuming(this.state.queue(), this.state.settings().partitions(), this);
		}
		catch (RuntimeException refused) {
			this.timers.close();
			this.dispatcher.close();
			throw refused;
		}
		this.state.gate().onOpen(this.onRedisBack);
		this.partitions.forEach(PartitionActors::start);
		this.observer.consuming(this.state.queue(), runs()::inFlight);
		keepProcessAlive();
	}

	/** All other threads of a consumer are daemon threads. */
	private void keepProcessAlive() {
		Thread waiting = new Thread(() -> {
			try {
				this.stopped.await();
			}
			catch (InterruptedException interrupted) {
				// No part of this library interrupts it
			}
		}, "delayqueue-consumer-of-" + this.state.queue());
		waiting.setDaemon(false);
		waiting.start();
	}

	/** Stops. A message that is unsettled by then is delivered again after its lease. */
	void stop(Duration timeout) {
		try {
			stopActors(timeout);
		}
		finally {
			this.stopped.countDown();
		}
	}

	private void stopActors(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		this.signals.notConsuming(this.state.queue());
		this.state.close();
		this.partitions.forEach(PartitionActors::stopReading);
		this.dispatcher.releaseUnstarted();
		long lastRead = System.nanoTime() + Math.min(LAST_READ.toNanos(), timeout.toNanos());
		this.partitions.forEach((partition) -> partition.awaitLastRead(until(lastRead)));
		int unsettled = this.state.awaitSettled(until(end));
		if (unsettled > 0) {
			logger.warn("Queue '" + this.state.queue() + "' stops with " + unsettled
					+ " messages unsettled; they are redelivered after " + this.state.settings().visibilityTimeout());
		}
		this.dispatcher.stop();
		this.partitions.forEach(PartitionActors::stop);
		leave();
		this.timers.close();
		this.state.gate().forget(this.onRedisBack);
		this.dispatcher.close();
		this.observer.notConsuming(this.state.queue());
	}

	private static Duration until(long endNanos) {
		return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
	}

	private void leave() {
		for (PartitionActors partition : this.partitions) {
			if (!partition.renewer().leave()) {
				return;
			}
		}
	}

	/** The calls of handlers that are under way. */
	HandlerRuns runs() {
		return this.dispatcher.runs();
	}

	void wakeUp() {
		this.partitions.forEach(PartitionActors::wakeUp);
	}

	@Override
	public void due(int partition, long inNanos) {
		if (contains(partition)) {
			this.partitions.get(partition).reader().dueIn(inNanos);
		}
	}

	@Override
	public void ready(int partition) {
		if (contains(partition)) {
			this.partitions.get(partition).reader().signal();
		}
	}

	@Override
	public void switched(int partition) {
		if (contains(partition)) {
			this.partitions.get(partition).reader().look();
		}
	}

	/** A hint may name any partition. */
	private boolean contains(int partition) {
		return partition >= 0 && partition < this.partitions.size();
	}

	@Override
	public void empty(int partition, long asOfNanos) {
		this.partitions.get(partition).state().empty(asOfNanos);
	}

}
