package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages.Read;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A consumer of one queue, from one start to its stop. A running consumer consists of the
 * pipeline through which each message passes:
 *
 * <ol>
 * <li>{@link PartitionReader} takes a permit and reads the message;</li>
 * <li>{@link Dispatcher} brings the message to {@link Workers}, or releases it;</li>
 * <li>{@link HandlerInvoker} calls the handler;</li>
 * <li>{@link OutcomePolicy} decides how the delivery is settled;</li>
 * <li>{@link SettlementWriter} settles the delivery in Redis, and {@link ConsumerState}
 * gets the permit back;</li>
 * <li>{@link SettlementListener} counts the settlement and publishes its event.</li>
 * </ol>
 * Beside this pipeline, {@link LeaseRenewer} renews the leases of the messages, and
 * {@link Reclaimer} takes back the messages of consumers that have stopped renewing their
 * leases.
 */
final class RunningConsumer implements Signals.PartitionSignals {

	private static final Log logger = LogFactory.getLog(RunningConsumer.class);

	private static final Duration LAST_READ = Duration.ofSeconds(2);

	private static final Pause NOT_AGAIN = Pause.of(TimeUnit.HOURS.toNanos(1));

	/** The interval at which partitions that have ended are checked for messages. */
	private static final Pause ENDED = Pause.of(TimeUnit.SECONDS.toNanos(1));

	private final ConsumerState state;

	private final Dispatcher dispatcher;

	private final Function<Partition, PartitionConsumer> consumers;

	private final QueueDirectory directory;

	private final Map<Partition, PartitionConsumer> partitions = new ConcurrentHashMap<>();

	/**
	 * The consumers of partitions that the queue no longer has, kept until the last
	 * message that this process holds of them is settled.
	 */
	private final List<PartitionConsumer> ended = new CopyOnWriteArrayList<>();

	private final Task adaptation;

	private final Signals signals;

	private final QueueObserver observer;

	private final Runnable onRedisBack = this::wakeUp;

	private final CountDownLatch stopped = new CountDownLatch(1);

	RunningConsumer(ConsumerState state, Dispatcher dispatcher, Function<Partition, PartitionConsumer> consumers,
			QueueDirectory directory, TaskPool tasks, Signals signals, QueueObserver observer) {
		this.state = state;
		this.dispatcher = dispatcher;
		this.consumers = consumers;
		this.directory = directory;
		this.adaptation = tasks.task("delayqueue-adapt-" + state.queue(), () -> {
			adapt();
			return stopEnded() ? NOT_AGAIN : ENDED;
		});
		this.signals = signals;
		this.observer = observer;
	}

	/**
	 * Starts the consumer.
	 * @throws IllegalStateException if another consumer of the queue runs in this process
	 */
	void start() {
		try {
			this.signals.consuming(this.directory.cached(this.state.settings()), this);
		}
		catch (RuntimeException refused) {
			this.dispatcher.close();
			throw refused;
		}
		this.state.gate().onOpen(this.onRedisBack);
		adapt();
		this.observer.consuming(this.state.queue(), runs()::inFlight);
		keepProcessAlive();
	}

	/** Requests that this consumer adapts to a change of the partitions of its queue. */
	void partitionsChanged() {
		this.adaptation.wake();
	}

	/**
	 * Starts to consume new partitions of the queue, and stops reading partitions that no
	 * longer belong to the queue.
	 */
	private void adapt() {
		Epochs epochs = this.directory.cached(this.state.settings());
		List<PartitionConsumer> leaving = new ArrayList<>();
		synchronized (this) {
			if (this.state.isClosing()) {
				return;
			}
			this.partitions.forEach((partition, consumer) -> {
				if (!epochs.contains(partition)) {
					leaving.add(consumer);
				}
			});
			// Set the number of partitions before new partitions start, so that the first
			// read of a new partition takes only its share of the permits
			this.state.permits().sharedBy(epochs.partitions().size());
			for (Partition partition : epochs.partitions()) {
				if (!this.partitions.containsKey(partition)) {
					PartitionConsumer added = this.consumers.apply(partition);
					this.partitions.put(partition, added);
					added.start();
				}
			}
			leaving.forEach((consumer) -> {
				consumer.stopReading();
				this.partitions.remove(consumer.state().partition());
				this.ended.add(consumer);
			});
		}
		this.signals.changed(epochs, this);
		leaving.forEach((consumer) -> {
			consumer.awaitLastRead(LAST_READ);
			consumer.state().stop(Read.State.OPEN);
		});
	}

	/**
	 * Stops the actors of ended partitions of which this process holds no message.
	 * @return whether no ended partition is left
	 */
	private boolean stopEnded() {
		for (PartitionConsumer consumer : List.copyOf(this.ended)) {
			PartitionState partition = consumer.state();
			if (partition.readingSince() == PartitionState.NOT_READING && partition.held().isEmpty()) {
				consumer.stop();
				this.ended.remove(consumer);
				// A failover may have lost the end of the epoch, so that the partition is
				// consumed again
				if (!this.partitions.containsKey(partition.partition())) {
					this.state.forget(partition.partition());
				}
			}
		}
		return this.ended.isEmpty();
	}

	/** Starts a thread that keeps the process alive: all other threads are daemons. */
	private void keepProcessAlive() {
		Thread waiting = new Thread(() -> {
			try {
				this.stopped.await();
			}
			catch (InterruptedException interrupted) {
				// This library never interrupts the thread
			}
		}, "delayqueue-consumer-of-" + this.state.queue());
		waiting.setDaemon(false);
		waiting.start();
	}

	/**
	 * Stops this consumer. A message that is not settled within the timeout is delivered
	 * again when its lease has ended.
	 */
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
		synchronized (this) {
			this.state.close();
		}
		this.adaptation.stop();
		this.signals.notConsuming(this.state.queue(), this);
		this.partitions.values().forEach(PartitionConsumer::stopReading);
		this.dispatcher.releaseUnstarted();
		long lastRead = System.nanoTime() + Math.min(LAST_READ.toNanos(), timeout.toNanos());
		this.partitions.values().forEach((partition) -> partition.awaitLastRead(until(lastRead)));
		int unsettled = this.state.awaitSettled(until(end));
		if (unsettled > 0) {
			logger.warn("Queue '" + this.state.queue() + "' stops with " + unsettled
					+ " messages unsettled; they are redelivered after the visibility timeout, "
					+ this.state.settings().visibilityTimeout());
		}
		this.dispatcher.stop();
		this.partitions.values().forEach(PartitionConsumer::stop);
		this.ended.forEach(PartitionConsumer::stop);
		leave();
		this.state.gate().forget(this.onRedisBack);
		this.dispatcher.close();
		this.observer.notConsuming(this.state.queue());
	}

	private static Duration until(long endNanos) {
		return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
	}

	private void leave() {
		for (PartitionConsumer partition : this.partitions.values()) {
			partition.reader().leave();
			if (!partition.renewer().leave()) {
				return;
			}
		}
	}

	/** Returns the handler calls that are under way. */
	HandlerRuns runs() {
		return this.dispatcher.runs();
	}

	boolean isThrottled() {
		return this.state.isThrottled();
	}

	void wakeUp() {
		this.partitions.values().forEach(PartitionConsumer::wakeUp);
		this.ended.forEach(PartitionConsumer::wakeUp);
	}

	private void forward(Partition partition, Consumer<PartitionConsumer> action) {
		PartitionConsumer consumer = this.partitions.get(partition);
		if (consumer != null) {
			action.accept(consumer);
		}
	}

	@Override
	public void due(Partition partition, long inNanos) {
		forward(partition, (consumer) -> consumer.reader().dueIn(inNanos));
	}

	@Override
	public void ready(Partition partition) {
		forward(partition, (consumer) -> consumer.reader().signal());
	}

	@Override
	public void switched(Partition partition) {
		forward(partition, (consumer) -> consumer.reader().look());
	}

	@Override
	public boolean removed(Partition partition, String entry, boolean replaced) {
		DeliveryTask task = this.state.held(partition, entry);
		if (task != null && replaced) {
			task.replaced();
		}
		else if (task != null) {
			runs().cancelled(task);
		}
		return task != null;
	}

	@Override
	public void empty(Partition partition, long asOfNanos) {
		forward(partition, (consumer) -> consumer.state().empty(asOfNanos));
	}

}
