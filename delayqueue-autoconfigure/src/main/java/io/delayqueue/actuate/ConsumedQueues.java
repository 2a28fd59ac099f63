package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.observe.QueueStatistics.Stock;
import org.jspecify.annotations.Nullable;

/**
 * Reports, for each queue with a listener in this process, the state of the listener and
 * the counts of the queue. Safe for use by several threads.
 */
public final class ConsumedQueues {

	private final Signals signals;

	private final RedisGate gate;

	private final Supplier<List<DelayedListenerContainer>> listeners;

	private final Function<String, @Nullable Stock> stock;

	private final Function<String, @Nullable Integer> members;

	private final Map<String, Long> seenIdleAt = new ConcurrentHashMap<>();

	/**
	 * Creates the reports about consumed queues.
	 * @param signals reports which queues this process consumes
	 * @param gate stops calls while Redis is unavailable
	 * @param listeners supplies all listeners of this process
	 * @param stock returns the counts of a queue, {@code null} while they are unknown
	 * @param members returns the number of members (consuming processes) that consume a
	 * queue, {@code null} while it is unknown
	 */
	public ConsumedQueues(Signals signals, RedisGate gate, Supplier<List<DelayedListenerContainer>> listeners,
			Function<String, @Nullable Stock> stock, Function<String, @Nullable Integer> members) {
		this.signals = signals;
		this.gate = gate;
		this.listeners = listeners;
		this.stock = stock;
		this.members = members;
	}

	/** The state of a listener. */
	enum ListenerState {

		/** The listener handles messages. */
		RUNNING,

		/** The listener was started, and is paused: it reads no messages. */
		PAUSED,

		/** The listener was not started, or was stopped. */
		STOPPED

	}

	/**
	 * The state of a queue at one moment.
	 *
	 * @param listener the state of the queue's listener
	 * @param workable for how long this process has been able to consume the queue: the
	 * time since the last moment at which the listener did not run, Redis was
	 * unavailable, or a check found the queue paused, held or delayed by its limits
	 * @param abandoned the runs of handlers that the listener has abandoned after their
	 * timeout and that have not ended
	 * @param members the number of members that consume the queue, {@code null} if it is
	 * unknown
	 * @param stock the counts of the queue, {@code null} if they are unknown
	 */
	record ConsumedQueue(ListenerState listener, Duration workable, AbandonedRuns abandoned, @Nullable Integer members,
			@Nullable Stock stock) {

		/**
		 * Returns for how long the oldest overdue message has waited while this process
		 * was able to consume the queue.
		 * @return the time, 0 if no message is overdue, the queue is not consumed at the
		 * moment, or its counts are unknown
		 */
		Duration late() {
			return late(Stock::overdueAge);
		}

		/**
		 * Returns for how long the most overdue recurring schedule has waited for its
		 * next occurrence while this process was able to consume the queue.
		 */
		Duration recurringLate() {
			return late(Stock::recurringLate);
		}

		private Duration late(Function<Stock, Duration> age) {
			Stock known = this.stock;
			if (known == null || known.stopped() || this.listener != ListenerState.RUNNING) {
				return Duration.ZERO;
			}
			return Collections.min(List.of(age.apply(known), this.workable));
		}

		/** Returns the details of the queue for the health endpoint. */
		Map<String, Object> details() {
			Map<String, Object> details = new LinkedHashMap<>();
			Stock known = this.stock;
			details.put("listener", DiagnosticText.word(this.listener));
			if (this.members != null) {
				details.put("members", this.members);
			}
			if (!this.abandoned.runs().isEmpty()) {
				details.put("abandoned", this.abandoned.runs());
			}
			if (known == null) {
				details.put("holds", "unknown");
				return details;
			}
			details.put("scheduled", known.scheduled());
			details.put("overdue", known.overdue());
			details.put("ready", known.ready());
			details.put("pending", known.pending());
			details.put("dead", known.dead());
			details.put("oldestOverdueMillis", known.overdueAge().toMillis());
			if (known.paused()) {
				details.put("paused", true);
			}
			if (!known.heldFor().isZero()) {
				details.put("heldForMillis", known.heldFor().toMillis());
			}
			if (known.heldGroups() > 0) {
				details.put("heldGroups", known.heldGroups());
			}
			return details;
		}

	}

	/**
	 * Returns the state of each queue with a listener in this process, sorted by queue
	 * name.
	 */
	SortedMap<String, ConsumedQueue> all() {
		Map<String, Duration> consumed = this.signals.consumed();
		Map<String, ListenerState> listeners = new HashMap<>();
		Map<String, AbandonedRuns> abandoned = new HashMap<>();
		consumed.keySet().forEach((queue) -> listeners.put(queue, ListenerState.RUNNING));
		this.listeners.get().forEach((listener) -> {
			listeners.put(listener.queue(), state(listener));
			abandoned.put(listener.queue(), listener.abandoned());
			if (listener.isThrottled()) {
				this.seenIdleAt.put(listener.queue(), System.nanoTime());
			}
		});
		SortedMap<String, ConsumedQueue> all = new TreeMap<>();
		listeners.forEach((queue, state) -> {
			Stock stock = this.stock.apply(queue);
			if (state != ListenerState.RUNNING || (stock != null && stock.stopped())) {
				this.seenIdleAt.put(queue, System.nanoTime());
			}
			all.put(queue, new ConsumedQueue(state, workable(queue, consumed.getOrDefault(queue, Duration.ZERO)),
					abandoned.getOrDefault(queue, AbandonedRuns.NONE), this.members.apply(queue), stock));
		});
		return all;
	}

	private Duration workable(String queue, Duration consumed) {
		Long idle = this.seenIdleAt.get(queue);
		Duration busy = (idle != null) ? Duration.ofNanos(System.nanoTime() - idle) : consumed;
		return Collections.min(List.of(consumed, this.gate.openFor(), busy));
	}

	private static ListenerState state(DelayedListenerContainer listener) {
		if (!listener.isRunning()) {
			return ListenerState.STOPPED;
		}
		return listener.isPaused() ? ListenerState.PAUSED : ListenerState.RUNNING;
	}

}
