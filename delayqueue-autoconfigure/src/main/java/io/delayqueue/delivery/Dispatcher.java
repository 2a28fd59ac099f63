package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.AbandonedRuns;
import org.jspecify.annotations.Nullable;

/**
 * Hands what was read to handlers, and gives back what must not begin. Safe for use by
 * several threads.
 *
 * <p>
 * How a message passes through:
 * <ol>
 * <li>if its group has workers of its own, it leaves its place to others and goes to the
 * lane of the group, else to the one that is shared. It is counted until it is
 * settled;</li>
 * <li>where messages are handed over in batches it waits there for others;</li>
 * <li>a worker hands it to the handler, unless its lease may be over, or nothing may
 * begin at the moment: then it is given back; or it has expired;</li>
 * <li>a suspect keeps its place. It begins when nothing else is under way in any lane,
 * and nothing else begins until it has ended or has run for long. If it cannot begin in
 * time, it is given back and waits, and so is each other suspect until the handlers have
 * ended that were in its way.</li>
 * </ol>
 */
final class Dispatcher {

	// immutable

	private final ConsumerPlan plan;

	private final IntFunction<Threads> threads;

	private final TurnThreads timers;

	private final ConsumerTools tools;

	private final Surroundings surroundings;

	private final OutcomePolicy outcomePolicy;

	private final HandlerRuns runs;

	private final HandlerInvoker invoker;

	private final ExpiryPolicy expiring;

	private final Lanes lanes;

	/**
	 * Abandons handlers that run for too long, and gives up suspects that wait for too
	 * long.
	 */
	private final RecurringTurn watch;

	private final SuspectIsolation isolation;

	// shared and safe

	/** What is being taken in, and settlements that are on their way. */
	private final AtomicInteger onTheWay = new AtomicInteger();

	/** Whether there was a suspect among what was read last. */
	private volatile boolean cautious;

	/** When a suspect waited in vain the last time. */
	private volatile long waitedInVainNanos = System.nanoTime();

	/**
	 * Creates it.
	 * @param plan what the consumer is about
	 * @param threads makes threads for so many handlers at once
	 * @param timers close batches, and have the watch over handlers
	 * @param tools what all consumers share
	 * @param surroundings the rest of the consumer
	 */
	Dispatcher(ConsumerPlan plan, IntFunction<Threads> threads, TurnThreads timers, ConsumerTools tools,
			Surroundings surroundings) {
		this.plan = plan;
		this.threads = threads;
		this.timers = timers;
		this.tools = tools;
		this.surroundings = surroundings;
		this.outcomePolicy = new OutcomePolicy(plan.settings(), tools.observer());
		Duration maxProcessingTime = plan.settings().retry().maxProcessingTime();
		this.isolation = new SuspectIsolation(plan.settings().visibilityTimeout(), maxProcessingTime);
		this.watch = timers.turn("The watch over the handlers of queue '" + plan.settings().name() + "'", this::watch);
		this.runs = new HandlerRuns(plan.settings(), plan.handlerMode().workers(plan.settings().concurrency()),
				tools.observer(), this::undecided, () -> this.watch.dueIn(maxProcessingTime.toNanos()),
				surroundings::moreCanBeRead);
		this.invoker = plan.handlerMode().invoker(this.outcomePolicy, this.runs, tools);
		this.expiring = plan.expiring(this.outcomePolicy, this.runs, tools);
		this.lanes = new Lanes(plan, this::lane);
		tools.loops().add(this.watch, this.watch::status);
	}

	/**
	 * What a consumer does besides.
	 */
	interface Surroundings {

		/** Whether nothing begins any more. */
		boolean isClosing();

		/** Whether the partition of a delivery is paused for all processes. */
		boolean isPausedForAll(DeliveryTask task);

		/** A delivery needs its place no more, before it is settled. */
		void returnPermit(DeliveryTask task);

		/** Settles a delivery. */
		void settle(Settlement settlement);

		/** What kept this consumer from reading is over. */
		void moreCanBeRead();

	}

	private Lane lane(@Nullable String group, int concurrency) {
		int handlers = this.plan.handlerMode().workers(concurrency);
		Threads own = this.threads.apply(handlers);
		Workers workers = new Workers(handlers, own.executor(), this::handle, this::runSuspectIfAlone);
		return new Lane(
				this.plan.handlerMode()
					.gathering(this.plan, group, (work) -> beginLate(workers, work), this.timers, this.tools),
				workers, own);
	}

	/** How many messages handlers have at this moment. */
	int inFlight() {
		return this.runs.inFlight();
	}

	/** The calls whose handlers have been abandoned and have not ended. */
	AbandonedRuns abandoned() {
		return this.runs.abandoned();
	}

	/** Whether more may be read. */
	boolean isOpen() {
		return this.isolation.isOpen() && !this.runs.areTooManyAbandoned();
	}

	/** Whether to read one by one: else many suspects are given back again and again. */
	boolean isCautious() {
		return this.cautious;
	}

	/** Takes in what was read. Of suspects one stays, and the others are given back. */
	void received(List<DeliveryTask> tasks) {
		// Until it is known what becomes of all of them no suspect begins
		this.onTheWay.incrementAndGet();
		try {
			takeIn(tasks);
		}
		finally {
			this.onTheWay.decrementAndGet();
		}
		runSuspectIfAlone();
	}

	private void takeIn(List<DeliveryTask> tasks) {
		List<DeliveryTask> suspects = tasks.stream().filter(DeliveryTask::isSuspect).toList();
		List<DeliveryTask> others = tasks.stream().filter((task) -> !task.isSuspect()).toList();
		if (!tasks.isEmpty()) {
			this.cautious = !suspects.isEmpty();
		}
		others.stream().filter(this.lanes::hasOwn).forEach(this.surroundings::returnPermit);
		suspects.forEach(this::takeInSuspect);
		this.lanes.split(others).forEach((lane, some) -> begin(lane.workers(), lane.gathering().add(some)));
		if (tasks.stream().anyMatch(this.surroundings::isPausedForAll)) {
			// The pause has begun since the read: it has not seen what waits only now
			releaseUnstarted();
		}
	}

	private void takeInSuspect(DeliveryTask suspect) {
		boolean hopeless = this.runs.areAnyFromBefore(this.waitedInVainNanos);
		if (!hopeless && this.isolation.admit(suspect)) {
			this.watch.dueIn(this.isolation.leftNanos());
		}
		else if (hopeless || this.isolation.isOpen()) {
			// Reading goes on here: given back for now, it would be read again at once
			settle(Settlement.releaseForLater(suspect));
		}
		else {
			release(List.of(suspect));
		}
	}

	/** Settles what no handler can be given. */
	void unreadable(DeliveryTask task, RuntimeException problem) {
		LogContext.during(task, () -> settle(this.outcomePolicy.unreadable(task, problem)));
	}

	/** Gives back what has not begun. */
	void releaseUnstarted() {
		release(this.lanes.takeUnstarted());
		if (this.surroundings.isClosing()) {
			releaseSuspect();
		}
	}

	/** Nothing begins by itself any more. */
	void stop() {
		this.lanes.stop();
		this.watch.stop();
		this.tools.loops().remove(this.watch);
	}

	/** Ends the threads of the handlers. */
	void close() {
		this.lanes.close();
	}

	/** Begins with what has waited, which a pause may not have found with its timer. */
	private void beginLate(Workers workers, List<? extends Work> work) {
		begin(workers, work);
		if (work.stream().flatMap((one) -> one.tasks().stream()).anyMatch(this.surroundings::isPausedForAll)) {
			releaseUnstarted();
		}
	}

	private void begin(Workers workers, List<? extends Work> work) {
		boolean taken = workers.add(work);
		if (this.surroundings.isClosing() || !this.isolation.isOpen()) {
			releaseUnstarted();
		}
		else if (!taken) {
			release(workers.takeUnstarted());
		}
		runSuspectIfAlone();
	}

	private long watch() {
		long next = this.runs.abandonOverdue(this::letGo);
		if (this.runs.areAnyAbandoned()) {
			// An executor of the application may have no thread left, and accept workers
			// all the same
			long longest = this.plan.settings().retry().maxProcessingTime().toNanos();
			this.lanes.takeStuck(longest).forEach((task) -> settle(Settlement.releaseForLater(task)));
			next = Math.min(next, longest);
		}
		DeliveryTask suspect = this.isolation.giveUp();
		if (suspect != null) {
			this.waitedInVainNanos = System.nanoTime();
			settle(Settlement.releaseForLater(suspect));
		}
		if (suspect != null || this.isolation.share()) {
			this.surroundings.moreCanBeRead();
		}
		return Math.min(next, Math.max(1, this.isolation.leftNanos()));
	}

	private @Nullable Runnable letGo(Thread thread) {
		Workers workers = this.lanes.letGo(thread);
		return (workers != null) ? () -> replaceWorker(workers) : null;
	}

	private void replaceWorker(Workers workers) {
		if (!workers.replaceOne()) {
			release(workers.takeUnstarted());
		}
	}

	private void handle(Work work) {
		try {
			begin(work);
		}
		catch (Throwable broken) {
			undecided(work.tasks(), broken);
		}
	}

	/** What is settled nowhere else would be kept for ever. */
	private void undecided(List<DeliveryTask> tasks, Throwable why) {
		tasks.stream()
			.filter((task) -> !task.isSettling())
			.forEach((task) -> ended(this.outcomePolicy.undecided(task, why)));
	}

	private void begin(Work work) {
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
		if (work instanceof DeliveryTask) {
			expired.forEach((task) -> this.expiring.run(task, this::ended));
		}
		else if (!expired.isEmpty()) {
			// Not by this call, which may never return from the handler of the others
			this.lanes.of(expired.get(0)).workers().addBehind(expired);
		}
		if (!begun.isEmpty()) {
			this.invoker.run(begun, this::ended);
		}
	}

	private boolean mayNotBegin(DeliveryTask task) {
		return this.surroundings.isClosing() || this.surroundings.isPausedForAll(task) || this.isolation.bars(task)
				|| task.hasLostLease() || this.tools.ready().isLayoutForeign(task.partition());
	}

	private void ended(Settlement settlement) {
		settle(settlement);
		runSuspectIfAlone();
	}

	private void settle(Settlement settlement) {
		this.onTheWay.incrementAndGet();
		this.surroundings.settle(settlement);
	}

	/**
	 * A delivery is settled. Only now is a suspect through: else the next one that kills
	 * the process would have it blamed too.
	 */
	void settled(DeliveryTask task) {
		this.onTheWay.decrementAndGet();
		if (this.isolation.ended(task) && this.isolation.isOpen()) {
			this.surroundings.moreCanBeRead();
		}
		runSuspectIfAlone();
	}

	/**
	 * Called whenever something has ended or is settled: the last one lets the suspect
	 * begin.
	 */
	private void runSuspectIfAlone() {
		if (this.isolation.isAwaited() && this.lanes.areIdle() && inFlight() == 0 && this.onTheWay.get() == 0) {
			DeliveryTask suspect = this.isolation.begin();
			if (suspect != null && !this.lanes.shared().workers().add(List.of(suspect))) {
				releaseUnstarted();
			}
		}
	}

	/**
	 * The suspect may be among them, when another partition's read comes in just now.
	 */
	private void release(List<DeliveryTask> unstarted) {
		unstarted.forEach((task) -> settle(Settlement.release(task)));
	}

	/** Gives the suspect back if it has not begun. */
	private void releaseSuspect() {
		DeliveryTask suspect = this.isolation.begin();
		if (suspect != null) {
			release(List.of(suspect));
		}
	}

}
