package io.delayqueue.delivery;

import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.lifecycle.TurnThreads;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a consumer.
 *
 * @param invokers makes what calls the handler
 * @param batches how batches are put together, {@code null} if the handler takes messages
 * one by one
 * @param expired takes expired messages, {@code null} if the settings of the queue decide
 */
record Handlers(Invokers invokers, @Nullable BatchSettings batches, @Nullable MessageHandler expired) {

	/** Makes what calls a handler. */
	@FunctionalInterface
	interface Invokers {

		HandlerInvoker create(OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools);

	}

	/** Calls the handler with each message. */
	static Handlers of(MessageHandler handler, @Nullable MessageHandler expired) {
		return new Handlers((policy, runs, tools) -> new MessageInvoker(handler, policy, runs, tools), null, expired);
	}

	/** Calls the handler with batches. */
	static Handlers of(BatchHandler handler, BatchSettings batches, @Nullable MessageHandler expired) {
		return new Handlers((policy, runs, tools) -> new BatchInvoker(handler, policy, runs, tools), batches, expired);
	}

	/** How many calls run at once where that many messages may be handled. */
	int workers(int concurrency) {
		return (this.batches != null) ? this.batches.batchesAtOnce(concurrency) : concurrency;
	}

	/**
	 * Makes what calls the handler of expired messages, {@code null} if there is none.
	 */
	@Nullable HandlerInvoker expiredInvoker(OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools) {
		return (this.expired != null) ? new MessageInvoker(this.expired, outcomePolicy, runs, tools) : null;
	}

	/**
	 * Makes what collects batches of one group, or with {@code null} of many;
	 * {@code null} if there are no batches.
	 */
	@Nullable Batcher batcher(ConsumerState state, @Nullable String group, Consumer<List<List<DeliveryTask>>> late,
			TurnThreads timers) {
		return (this.batches != null) ? new Batcher(this.batches, state, group, late, timers) : null;
	}

}
