package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.delivery.Intake.Reading;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
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
 * <li>an intake takes a place for it and reads it;</li>
 * <li>where messages are handed over in batches it waits for others;</li>
 * <li>a worker hands it to the handler, unless its lease may be over: then it is given
 * back; or it has expired;</li>
 * <li>the settler settles it, and its place is free again.</li>
 * </ol>
 */
final class ConsumerRun implements Intake.Receiver, Signals.ReadySignals {

	private static final Log logger = LogFactory.getLog(ConsumerRun.class);

	private static final Duration LAST_READ = Duration.ofSeconds(2);

	private static final int MOST_OF_A_READ = 200;

	// immutable

	private final ConsumerPlan plan;

	private final String queue;

	private final ConsumerTools tools;

	private final BooleanSupplier paused;

	private final Threads threads;

	private final Permits permits;

	private final Aftermath aftermath;

	private final Workers workers;

	/** By the partition's number. */
	private final List<PartitionActors> actors = new ArrayList<>();

	private final TurnThreads leaseThreads;

	private final Verdict verdict;

	private final Handling handling;

	private final Expiring expiring;

	private final Gathering gathering;

	private final Runnable onRedisBack = this::wakeUp;

	// shared and safe

	private final InFlight inFlight = new InFlight();

	private final Quarantine quarantine = new Quarantine();

	private final AtomicBoolean saidPaused = new AtomicBoolean();

	private volatile boolean closing;

	ConsumerRun(ConsumerPlan plan, Threads threads, ConsumerTools tools, BooleanSupplier paused) {
		QueueSettings settings = plan.settings();
		this.plan = plan;
		this.queue = settings.name();
		this.threads = threads;
		this.tools = tools;
		this.paused = paused;
		this.verdict = new Verdict(settings, tools.observer());
		this.handling = plan.consumption().handling(this.verdict, tools);
		this.expiring = plan.expiring(this.verdict, tools);
		this.permits = new Permits(settings.concurrency(), this::roomAgain);
		this.aftermath = new Aftermath(this.queue, tools, this.permits, this.inFlight, () -> this.closing);
		this.workers = new Workers(plan.consumption().workers(settings.concurrency()), threads.executor(), this::handle,
				this::runSuspectIfAlone);
		Reading reading = new Reading(tools.ready(), () -> tools.directory().enter(settings), plan.consumer(),
				tools.backstop(), share(settings), settings.retry(), new LostRecords(this.queue, tools.observer()));
		// Enough for all at once: neither a lease nor a batch waits for a node that hangs
		this.leaseThreads = new TurnThreads("delayqueue-leases-" + this.queue, 2 * settings.partitions() + 1);
		this.gathering = plan.consumption().gathering(plan, this::begin, this.leaseThreads, tools);
		for (int number = 0; number < settings.partitions(); number++) {
			Partition partition = new Partition(this.queue, number);
			Settler settler = new Settler(partition, settings, tools.ready(), tools.gate(), this.aftermath);
			Reclaimer reclaimer = new Reclaimer(partition, settings, tools, this.leaseThreads);
			Intake intake = new Intake(partition, reading, reclaimer::visibilityTimeout, tools.gate(), this.permits,
					this.inFlight, this);
			Heartbeat heartbeat = new Heartbeat(plan, reclaimer::visibilityTimeout, intake, tools, this.inFlight,
					this.aftermath, this.leaseThreads);
			this.actors.add(new PartitionActors(settler, heartbeat, reclaimer, intake, tools.loops()));
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
		releaseUnstarted();
		long lastRead = System.nanoTime() + Math.min(LAST_READ.toNanos(), timeout.toNanos());
		this.actors.forEach((partition) -> partition.awaitLastRead(until(lastRead)));
		if (!this.permits.awaitAllBack(until(end))) {
			logger.warn("Queue '" + this.queue + "' stops with " + this.permits.taken()
					+ " messages unsettled; they are redelivered after " + this.plan.settings().visibilityTimeout());
		}
		this.gathering.stop();
		this.actors.forEach(PartitionActors::stop);
		leave();
		this.leaseThreads.close();
		this.tools.gate().forget(this.onRedisBack);
		this.threads.close();
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
		return this.handling.running() + this.expiring.running();
	}

	void wakeUp() {
		this.actors.forEach(PartitionActors::wakeUp);
	}

	@Override
	public void ready(int partition) {
		this.actors.get(partition).intake().tell();
	}

	@Override
	public void paused(int partition, boolean paused) {
		this.actors.get(partition).intake().pausedForAll(paused);
	}

	@Override
	public void pauseTurned() {
		boolean paused = this.actors.stream().anyMatch((partition) -> partition.intake().isPausedForAll());
		if (this.saidPaused.compareAndSet(!paused, paused)) {
			logger.info("Queue '" + this.queue + "' is "
					+ (paused ? "paused for all processes: nothing of it is handled here until it is resumed"
							: "resumed for all processes"));
		}
		if (paused) {
			release(this.gathering.takeWaiting());
		}
	}

	@Override
	public boolean isOpen() {
		return !this.closing && !this.paused.getAsBoolean() && this.quarantine.isEmpty();
	}

	@Override
	public void received(List<DeliveryTask> tasks) {
		List<DeliveryTask> suspects = tasks.stream().filter(DeliveryTask::isSuspect).toList();
		List<DeliveryTask> others = tasks.stream().filter((task) -> !task.isSuspect()).toList();
		this.quarantine.admit(suspects);
		begin(this.gathering.add(others));
		if (tasks.stream().anyMatch(this::isPausedForAll)) {
			// The pause has begun since the read: it has not seen what waits only now
			release(this.gathering.takeWaiting());
		}
	}

	@Override
	public void givenBack(Partition partition, int messages) {
		this.aftermath.givenBack(partition, messages);
	}

	private void begin(List<? extends Work> work) {
		boolean taken = this.workers.add(work);
		if (this.closing || !this.quarantine.isEmpty()) {
			releaseUnstarted();
		}
		else if (!taken) {
			release(this.workers.takeUnstarted());
		}
		runSuspectIfAlone();
	}

	@Override
	public void unreadable(DeliveryTask task, RuntimeException problem) {
		LogContext.during(task, () -> settle(this.verdict.unreadable(task, problem)));
	}

	private void handle(Work work) {
		List<DeliveryTask> begun = new ArrayList<>(work.tasks().size());
		List<DeliveryTask> expired = new ArrayList<>(0);
		for (DeliveryTask task : work.tasks()) {
			if (mayNotBegin(task)) {
				release(List.of(task));
			}
			else if (!task.expire()) {
				begun.add(task);
			}
			else if (this.expiring.isHandled()) {
				expired.add(task);
			}
			else {
				this.expiring.run(task, this::ended);
			}
		}
		if (!begun.isEmpty()) {
			this.handling.run(begun, this::ended);
		}
		expired.forEach(this::handleExpired);
	}

	/** Perhaps a while after the rest of its batch has begun. */
	private void handleExpired(DeliveryTask task) {
		if (mayNotBegin(task)) {
			release(List.of(task));
		}
		else {
			this.expiring.run(task, this::ended);
		}
	}

	private boolean mayNotBegin(DeliveryTask task) {
		return this.closing || isPausedForAll(task) || this.quarantine.bars(task) || task.hasLostLease();
	}

	private boolean isPausedForAll(DeliveryTask task) {
		return this.actors.get(task.partition().number()).intake().isPausedForAll();
	}

	private void ended(Settlement settlement) {
		settle(settlement);
		leaveQuarantine(settlement.task());
		runSuspectIfAlone();
	}

	private void leaveQuarantine(DeliveryTask task) {
		if (this.quarantine.ended(task) && this.quarantine.isEmpty()) {
			this.actors.forEach((partition) -> partition.intake().tell());
		}
	}

	/** Called whenever something ends: the last one to end lets the suspect begin. */
	private void runSuspectIfAlone() {
		if (!this.quarantine.isEmpty() && this.workers.areIdle() && inFlight() == 0) {
			DeliveryTask suspect = this.quarantine.next();
			if (suspect != null && !this.workers.add(List.of(suspect))) {
				releaseUnstarted();
				releaseWaitingSuspects();
				leaveQuarantine(suspect);
			}
		}
	}

	private void releaseUnstarted() {
		release(this.gathering.takeWaiting());
		release(this.workers.takeUnstarted());
		if (this.closing) {
			releaseWaitingSuspects();
		}
	}

	private void release(List<DeliveryTask> unstarted) {
		unstarted.forEach((task) -> {
			settle(Settlement.release(task));
			// The suspect may be among them, when another partition's read comes in just
			// now
			leaveQuarantine(task);
		});
	}

	private void releaseWaitingSuspects() {
		this.quarantine.takeWaiting().forEach((task) -> settle(Settlement.release(task)));
	}

	private void settle(Settlement settlement) {
		settlement.task().settling();
		this.actors.get(settlement.task().partition().number()).settler().add(settlement);
	}

	private void roomAgain() {
		this.actors.forEach((partition) -> partition.intake().roomAgain());
	}

}
