package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A consumer from one start to its stop: the pipeline that each message passes.
 *
 * <ol>
 * <li>{@link PartitionReader} takes a permit and reads the message;</li>
 * <li>{@link Dispatcher} brings it to a worker, or gives it back;</li>
 * <li>{@link HandlerInvoker} calls the handler;</li>
 * <li>{@link OutcomePolicy} decides how the delivery is settled;</li>
 * <li>{@link SettlementWriter} settles it in Redis, and {@link ConsumerState} has the
 * permit back;</li>
 * <li>{@link SettlementListener} counts and publishes the end.</li>
 * </ol>
 * Beside the pipeline {@link LeaseRenewer} keeps the leases of the messages in it, and
 * {@link Reclaimer} takes back what consumers hold that have fallen silent.
 */
final class RunningConsumer implements Signals.ReadySignals {

	private static final Log logger = LogFactory.getLog(RunningConsumer.class);

	private static final Duration LAST_READ = Duration.ofSeconds(2);

	private final ConsumerState state;

	private final ConsumerTools tools;

	private final Dispatcher dispatcher;

	private final TurnThreads leaseThreads;

	/** By the partition's number. */
	private final List<PartitionConsumer> partitions = new ArrayList<>();

	private final Runnable onRedisBack = this::wakeUp;

	RunningConsumer(QueueSettings settings, Handlers handlers, IntFunction<Threads> threads, ConsumerTools tools,
			BooleanSupplier paused) {
		this.tools = tools;
		this.state = new ConsumerState(settings, ConsumerName.next(), paused);
		// Enough for all at once: neither a lease nor a batch nor the watch over handlers
		// waits for a node that hangs
		this.leaseThreads = new TurnThreads("delayqueue-leases-" + settings.name(),
				2 * settings.partitions() + 2 + this.state.dedicated().size());
		ConsumerLog log = new ConsumerLog(settings, tools.observer());
		SettlementListener listener = new SettlementListener(this.state, tools);
		Consumer<Settlement> settlements = (settlement) -> this.partitions.get(settlement.task().partition().number())
			.settlementWriter()
			.add(settlement);
		this.dispatcher = new Dispatcher(this.state, handlers, threads, this.leaseThreads, tools, settlements);
		for (PartitionState partition : this.state.partitions()) {
			SettlementWriter writer = new SettlementWriter(partition.partition(), this.state, tools, listener);
			LeaseRenewer renewer = new LeaseRenewer(partition, this.state, tools, listener, this.leaseThreads);
			Reclaimer reclaimer = new Reclaimer(partition, settings, tools, log, renewer::wakeUp, this.leaseThreads);
			PartitionReader reader = new PartitionReader(partition, this.state, tools, log, this.dispatcher, reclaimer);
			this.partitions.add(new PartitionConsumer(reader, writer, renewer, reclaimer, tools.loops()));
		}
	}

	void start() {
		QueueSettings settings = this.state.settings();
		this.tools.signals().consuming(this.state.queue(), settings.partitions(), settings.concurrency(), this);
		this.tools.gate().onOpen(this.onRedisBack);
		this.partitions.forEach(PartitionConsumer::start);
		this.tools.observer().consuming(this.state.queue(), this::inFlight);
	}

	/** Stops. A message that is unsettled by then is delivered again after its lease. */
	void stop(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		this.tools.signals().notConsuming(this.state.queue());
		this.state.close();
		this.partitions.forEach(PartitionConsumer::stopReading);
		this.dispatcher.releaseUnstarted();
		long lastRead = System.nanoTime() + Math.min(LAST_READ.toNanos(), timeout.toNanos());
		this.partitions.forEach((partition) -> partition.awaitLastRead(until(lastRead)));
		int unsettled = this.state.awaitSettled(until(end));
		if (unsettled > 0) {
			logger.warn("Queue '" + this.state.queue() + "' stops with " + unsettled
					+ " messages unsettled; they are redelivered after " + this.state.settings().visibilityTimeout());
		}
		this.dispatcher.stop();
		this.partitions.forEach(PartitionConsumer::stop);
		leave();
		this.leaseThreads.close();
		this.tools.gate().forget(this.onRedisBack);
		this.dispatcher.close();
		this.tools.observer().notConsuming(this.state.queue());
	}

	private static Duration until(long endNanos) {
		return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
	}

	/**
	 * Removes this consumer from the consumer groups, unless it still holds messages
	 * there. If that fails, the maintenance of another process removes it later.
	 */
	private void leave() {
		for (PartitionState left : this.state.partitions()) {
			if (!this.tools.gate().isOpen()) {
				return;
			}
			try {
				this.tools.leases().removeConsumers(left.partition(), this.state.consumer());
			}
			catch (StoreException failure) {
				logger.debug("The consumer of partition " + left.partition() + " is left to be removed later", failure);
				if (failure.isRedisLost()) {
					return;
				}
			}
		}
	}

	int inFlight() {
		return this.dispatcher.inFlight();
	}

	AbandonedRuns abandoned() {
		return this.dispatcher.abandoned();
	}

	void wakeUp() {
		this.partitions.forEach(PartitionConsumer::wakeUp);
	}

	@Override
	public void ready(int partition) {
		this.partitions.get(partition).reader().signal();
	}

	@Override
	public void paused(int partition, boolean paused) {
		this.partitions.get(partition).reader().pausedForAll(paused);
	}

	@Override
	public void empty(int partition, long asOfNanos) {
		this.partitions.get(partition).empty(asOfNanos);
	}

}
