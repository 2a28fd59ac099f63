package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.delayqueue.delivery.Handlers.Batches;
import io.delayqueue.delivery.ReadResult.Unreadable;
import io.delayqueue.delivery.SuspectIsolation.Suspect;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.PendingMessages;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handlers of one consumer. If the lease of a message may have ended, or no
 * handler may begin at the moment (for example because the consumer closes), the invoker
 * releases the message instead. The invoker passes an expired message to the handler of
 * expired messages; without such a handler the message is dropped or dead-lettered, as
 * configured for the queue. Safe for use by several threads.
 */
final class HandlerInvoker {

	private static final Log logger = LogFactory.getLog(HandlerInvoker.class);

	private final ConsumerState state;

	private final PendingMessages pending;

	private final OutcomePolicy outcomePolicy;

	private final HandlerRuns runs;

	/** Calls the handler with single messages or with a batch. */
	private final Consumer<List<DeliveryTask>> handler;

	/** Calls the handler of expired messages, {@code null} if there is none. */
	private final @Nullable MessageInvoker expiredHandler;

	HandlerInvoker(ConsumerState state, Handlers handlers, PendingMessages pending, QueueObserver observer,
			MessageTracing tracing) {
		this.state = state;
		this.pending = pending;
		this.outcomePolicy = new OutcomePolicy(state.settings(), observer);
		this.runs = new HandlerRuns(state, handlers.workers(state.settings().concurrency()), observer, this::undecided);
		Batches batches = handlers.batches();
		if (batches != null) {
			this.handler = new BatchInvoker(batches.handler(), this.outcomePolicy, this.runs, observer, tracing,
					state::settle)::handleBatch;
		}
		else {
			this.handler = new MessageInvoker(Objects.requireNonNull(handlers.single()), this.outcomePolicy, this.runs,
					observer, tracing, state::settle)::handleEach;
		}
		MessageHandler expired = handlers.expired();
		this.expiredHandler = (expired != null)
				? new MessageInvoker(expired, this.outcomePolicy, this.runs, observer, tracing, state::settle) : null;
	}

	HandlerRuns runs() {
		return this.runs;
	}

	/**
	 * Calls a handler, on the calling thread, with those deliveries that may begin.
	 * @param call the deliveries of one handler call
	 * @param behind takes separate handler calls for the expired messages of a batch; a
	 * worker makes these calls later
	 */
	void invoke(List<DeliveryTask> call, Consumer<List<List<DeliveryTask>>> behind) {
		try {
			List<DeliveryTask> begun = new ArrayList<>(call.size());
			List<DeliveryTask> expired = new ArrayList<>(0);
			call.forEach((task) -> admit(task, begun, expired));
			if (this.expiredHandler != null && !expired.isEmpty() && call.size() == 1) {
				this.expiredHandler.handleEach(expired);
			}
			else if (!expired.isEmpty()) {
				// Handle expired messages in separate calls, because the handler of the
				// other messages of this batch may never return
				behind.accept(expired.stream().map(List::of).toList());
			}
			if (!begun.isEmpty()) {
				this.handler.accept(begun);
			}
		}
		catch (Throwable broken) {
			undecided(call, broken);
		}
	}

	private void admit(DeliveryTask task, List<DeliveryTask> begun, List<DeliveryTask> expired) {
		if (task.isSettling()) {
			return;
		}
		if (mayNotBegin(task)) {
			this.state.settle(Settlement.release(task));
		}
		else if (!task.expire()) {
			begun.add(task);
		}
		else if (this.expiredHandler != null) {
			expired.add(task);
		}
		else {
			LogContext.during(task, () -> this.state.settle(this.outcomePolicy.expired(task)));
		}
	}

	private boolean mayNotBegin(DeliveryTask task) {
		return task.isCancelled() || task.isReplaced() || this.state.isClosing()
				|| this.state.partition(task.partition()).holds(task) || task.hasLostLease()
				|| this.pending.isLayoutForeign(task.partition()) || !agrees(task);
	}

	/**
	 * Whether the suspect of this process permits that a delivery begins. Before the
	 * suspect begins, Redis stores that it runs alone; before another message begins
	 * beside the suspect, Redis stores that it no longer does.
	 */
	private boolean agrees(DeliveryTask task) {
		SuspectIsolation isolation = this.state.isolation();
		Suspect alone = isolation.alone();
		if (alone == null || isolation.bars(task)) {
			return !isolation.bars(task);
		}
		if (alone.task() == task) {
			isolate(alone, true);
			if (!alone.equals(isolation.alone())) {
				// Another message has begun while the call was under way
				isolate(alone, false);
			}
			return true;
		}
		if (!isolate(alone, false)) {
			return false;
		}
		isolation.accompanied(alone);
		return !isolation.bars(task);
	}

	private boolean isolate(Suspect suspect, boolean alone) {
		DeliveryTask task = suspect.task();
		try {
			this.pending.isolate(task.partition(), suspect.consumer(), task.entry(), alone);
			return true;
		}
		catch (StoreException failure) {
			logger.debug("Could not store whether message " + task.storedId() + " of queue '" + task.queue()
					+ "' runs alone", failure);
			return false;
		}
	}

	/** Settles a message whose record cannot be read. */
	void settleUnreadable(Unreadable message) {
		LogContext.during(message.task(),
				() -> this.state.settle(this.outcomePolicy.unreadable(message.task(), message.problem())));
	}

	/**
	 * Retries the messages of a handler call if an exception has prevented the decision
	 * about their outcome. If these messages were not settled, this process would renew
	 * their leases for ever.
	 */
	private void undecided(List<DeliveryTask> tasks, Throwable why) {
		tasks.stream()
			.filter((task) -> !task.isSettling())
			.forEach((task) -> this.state.settle(this.outcomePolicy.undecided(task, why)));
	}

}
