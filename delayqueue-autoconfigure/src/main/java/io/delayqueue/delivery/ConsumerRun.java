package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.delivery.PartitionReader.Reading;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Partition;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A consumer from one start to its stop.
 *
 * <p>
 * How a message passes through:
 * <ol>
 * <li>a partition reader takes a place for it and reads it;</li>
 * <li>the dispatcher brings it to its handler, or gives it back;</li>
 * <li>its place is free again, and the settlement writer settles it;</li>
 * <li>the dispatcher hears that it is settled.</li>
 * </ol>
 */
final class ConsumerRun implements PartitionReader.Receiver, Dispatcher.Surroundings, Signals.ReadySignals {

	private static final Log logger = LogFactory.getLog(ConsumerRun.class);

	private static final Duration LAST_READ = Duration.ofSeconds(2);

	private static final int MOST_OF_A_READ = 200;

	// immutable

	private final ConsumerPlan plan;

	private final String queue;

	private final ConsumerTools tools;

	private final BooleanSupplier paused;

	private final Permits permits;

	private final SettlementListener settlementListener;

	/** By the partition's number. */
	private final List<PartitionActors> actors = new ArrayList<>();

	private final TurnThreads leaseThreads;

	private final Dispatcher dispatcher;

	private final Runnable onRedisBack = this::wakeUp;

	// shared and safe

	private final InFlight inFlight = new InFlight();

	private final AtomicBoolean saidPaused = new AtomicBoolean();

	private volatile boolean closing;

	ConsumerRun(ConsumerPlan plan, IntFunction<Threads> threads, ConsumerTools tools, BooleanSupplier paused) {
		QueueSettings settings = plan.settings();
		this.plan = plan;
		this.queue = settings.name();
		this.tools = tools;
		this.paused = paused;
		this.permits = new Permits(settings.concurrency(), this::permitFreed);
		this.settlementListener = new SettlementListener(this.queue, tools, this.permits, this.inFlight,
				() -> this.closing, this::isThrough);
		Reading reading = new Reading(tools.ready(), () -> tools.directory().enter(settings), plan.consumer(),
				tools.backstop(), share(settings), settings.retry(), new LostMessageLog(this.queue, tools.observer()),
				new NewerRecordLog(this.queue, tools.observer()));
		// Enough for all at once: neither a lease nor a batch nor the watch over handlers
		// waits for a node that hangs
		this.leaseThreads = new TurnThreads("delayqueue-leases-" + this.queue,
				2 * settings.partitions() + 2 + plan.dedicated().size());
		this.dispatcher = new Dispatcher(plan, threads, this.leaseThreads, tools, this);
		TimeoutMismatchLog timeouts = new TimeoutMismatchLog(settings, tools.leases());
		for (int number = 0; number < settings.partitions(); number++) {
			Partition partition = new Partition(this.queue, number);
			SettlementWriter settlementWriter = new SettlementWriter(partition, settings, tools.ready(), tools.gate(),
					this.settlementListener);
			Reclaimer reclaimer = new Reclaimer(partition, settings, timeouts, tools, this.leaseThreads);
			PartitionReader reader = new PartitionReader(partition, reading, reclaimer::visibilityTimeout, tools.gate(),
					this.permits, this.inFlight, this);
			LeaseRenewer leaseRenewer = new LeaseRenewer(plan, reclaimer::visibilityTimeout, reader, tools,
					this.inFlight, this.settlementListener, this.leaseThreads);
			reclaimer.renewedBy(leaseRenewer);
			this.actors.add(new PartitionActors(settlementWriter, leaseRenewer, reclaimer, reader, tools.loops()));
		}
	}

	void start() {
		QueueSettings settings = this.plan.settings();
		this.tools.signals().consuming(this.queue, settings.partitions(), settings.concurrency(), this);
		this.tools.gate().onOpen(this.onRedisBack);
		this.actors.forEach(PartitionActors::start);
		this.tools.observer().consuming(this.queue, this::inFlight);
	}

	/** Stops; whatever is unsettled by then is redelivered after its lease. */
	void stop(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		this.tools.signals().notConsuming(this.queue);
		this.closing = true;
		this.actors.forEach(PartitionActors::stopReading);
		this.dispatcher.releaseUnstarted();
		long lastRead = System.nanoTime() + Math.min(LAST_READ.toNanos(), timeout.toNanos());
		this.actors.forEach((partition) -> partition.awaitLastRead(until(lastRead)));
		if (!this.permits.awaitAllBack(until(end)) || this.inFlight.size() > 0) {
			logger.warn("Queue '" + this.queue + "' stops with " + Math.max(this.permits.taken(), this.inFlight.size())
					+ " messages unsettled; they are redelivered after " + this.plan.settings().visibilityTimeout());
		}
		this.dispatcher.stop();
		this.actors.forEach(PartitionActors::stop);
		leave();
		this.leaseThreads.close();
		this.tools.gate().forget(this.onRedisBack);
		this.dispatcher.close();
		this.tools.observer().notConsuming(this.queue);
	}

	/** The most messages of one read: a partition that hangs holds no more places. */
	private static int share(QueueSettings settings) {
		return Math.min(MOST_OF_A_READ, Math.max(1, settings.concurrency() / settings.partitions()));
	}

	private static Duration until(long endNanos) {
		return Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()));
	}

	/**
	 * Takes this consumer's name off the group; what it still holds keeps it there, and
	 * what fails is made up for by other processes later.
	 */
	private void leave() {
		for (PartitionActors left : this.actors) {
			if (!this.tools.gate().isOpen()) {
				return;
			}
			try {
				this.tools.leases().removeConsumers(left.partition(), this.plan.consumer());
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
		this.actors.forEach(PartitionActors::wakeUp);
	}

	@Override
	public void ready(int partition) {
		this.actors.get(partition).reader().signal();
	}

	@Override
	public void paused(int partition, boolean paused) {
		this.actors.get(partition).reader().pausedForAll(paused);
	}

	@Override
	public void empty(int partition, long asOfNanos) {
		this.actors.get(partition).empty(asOfNanos);
	}

	@Override
	public void pauseTurned(boolean paused) {
		boolean any = this.actors.stream().anyMatch((partition) -> partition.reader().isPausedForAll());
		if (this.saidPaused.compareAndSet(!any, any)) {
			logger.info("Queue '" + this.queue + "' is "
					+ (any ? "paused for all processes: nothing of it is handled here until it is resumed"
							: "resumed for all processes"));
		}
		if (paused) {
			this.dispatcher.releaseUnstarted();
		}
	}

	@Override
	public boolean isOpen(Partition partition) {
		return !this.closing && !this.paused.getAsBoolean() && this.dispatcher.isOpen()
				&& this.actors.get(partition.number()).settlementWriter().acceptsMore();
	}

	@Override
	public boolean isCautious() {
		return this.dispatcher.isCautious();
	}

	@Override
	public void received(List<DeliveryTask> tasks) {
		if (!tasks.isEmpty()) {
			this.actors.get(tasks.get(0).partition().number()).reclaimer().notEmpty();
		}
		this.dispatcher.received(tasks);
	}

	@Override
	public void unreadable(DeliveryTask task, RuntimeException problem) {
		this.dispatcher.unreadable(task, problem);
	}

	@Override
	public boolean isClosing() {
		return this.closing;
	}

	@Override
	public boolean isPausedForAll(DeliveryTask task) {
		return this.actors.get(task.partition().number()).reader().isPausedForAll();
	}

	@Override
	public void returnPermit(DeliveryTask task) {
		task.returnPermit();
		this.permits.leave(1);
	}

	@Override
	public void moreCanBeRead() {
		this.actors.forEach((partition) -> partition.reader().signal());
	}

	/**
	 * Others may have its place while Redis is told; but not a suspect's, so that nobody
	 * is blamed together with the next one.
	 */
	@Override
	public void settle(Settlement settlement) {
		DeliveryTask task = settlement.task();
		task.settling();
		if (!task.isSuspect() && !task.hasReturnedPermit() && this.permits.leaveEarly()) {
			task.returnPermit();
		}
		this.actors.get(task.partition().number()).settlementWriter().add(settlement);
	}

	private void isThrough(DeliveryTask task) {
		this.dispatcher.settled(task);
	}

	private void permitFreed() {
		this.actors.forEach((partition) -> partition.reader().permitFreed());
	}

}
