package io.delayqueue.delivery;

import io.delayqueue.delivery.Gathering.Beginning;
import io.delayqueue.lifecycle.TurnThreads;
import org.jspecify.annotations.Nullable;

/**
 * How messages are handed over.
 */
sealed interface HandlerMode {

	/** How many handlers may run at once where so many messages may be handled. */
	int workers(int concurrency);

	/** Makes what runs the handler. */
	HandlerInvoker invoker(OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools);

	/**
	 * Makes what puts together the messages that are handed over at once: those of a
	 * group, or with {@code null} those of many.
	 */
	Gathering gathering(ConsumerPlan plan, @Nullable String group, Beginning beginning, TurnThreads threads,
			ConsumerTools tools);

	/**
	 * One by one.
	 *
	 * @param handler what to do with each delivery
	 */
	record OneByOne(MessageHandler handler) implements HandlerMode {

		@Override
		public int workers(int concurrency) {
			return concurrency;
		}

		@Override
		public HandlerInvoker invoker(OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools) {
			return new MessageInvoker(this.handler, outcomePolicy, runs, tools);
		}

		@Override
		public Gathering gathering(ConsumerPlan plan, @Nullable String group, Beginning beginning, TurnThreads threads,
				ConsumerTools tools) {
			return Gathering.NONE;
		}

	}

	/**
	 * In batches.
	 *
	 * @param handler what to do with each batch
	 * @param settings how batches are put together
	 */
	record InBatches(BatchHandler handler, BatchSettings settings) implements HandlerMode {

		@Override
		public int workers(int concurrency) {
			return this.settings.batchesAtOnce(concurrency);
		}

		@Override
		public HandlerInvoker invoker(OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools) {
			return new BatchInvoker(this.handler, outcomePolicy, runs, tools);
		}

		@Override
		public Gathering gathering(ConsumerPlan plan, @Nullable String group, Beginning beginning, TurnThreads threads,
				ConsumerTools tools) {
			return new Batcher(this.settings, plan, group, beginning, threads, tools.loops());
		}

	}

}
