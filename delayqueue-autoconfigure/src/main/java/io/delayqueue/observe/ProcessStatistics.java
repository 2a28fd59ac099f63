package io.delayqueue.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * What the meters of this process say about the queues that it handles. Reads them only.
 * Safe for use by several threads.
 */
public final class ProcessStatistics {

	private static final String QUEUE = "queue";

	private final MeterRegistry registry;

	/**
	 * Creates the figures.
	 * @param registry where the meters are registered
	 */
	public ProcessStatistics(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * What was counted of a queue since this process has begun to handle it. The numbers
	 * are read one after the other, so they need not add up.
	 *
	 * @param queue the queue's name
	 * @param handled how many deliveries have ended
	 * @param failed of these, how many failed
	 * @param delivered how many messages a handler was given for the first time
	 * @param latenessMillis how late these were, all together, ms
	 * @param worstLatenessMillis how late the latest one of the last minutes was, ms; 0
	 * if there was none
	 */
	public record Figures(String queue, long handled, long failed, long delivered, long latenessMillis,
			long worstLatenessMillis) {
	}

	/**
	 * The figures of all queues that this process handles or has handled.
	 * @return them in the order of the names, none if meters are switched off
	 */
	public List<Figures> all() {
		SortedMap<String, List<Timer>> handled = new TreeMap<>();
		for (Timer timer : this.registry.find(DelayQueueMeters.HANDLED.meterName()).timers()) {
			String queue = timer.getId().getTag(QUEUE);
			if (queue != null) {
				handled.computeIfAbsent(queue, (name) -> new ArrayList<>()).add(timer);
			}
		}
		return handled.entrySet().stream().map((queue) -> figures(queue.getKey(), queue.getValue())).toList();
	}

	private Figures figures(String queue, List<Timer> handled) {
		Timer lateness = this.registry.find(DelayQueueMeters.LATENESS.meterName()).tag(QUEUE, queue).timer();
		return new Figures(queue, handled.stream().mapToLong(Timer::count).sum(),
				handled.stream().filter(ProcessStatistics::isFailure).mapToLong(Timer::count).sum(),
				(lateness != null) ? lateness.count() : 0,
				(lateness != null) ? Math.round(lateness.totalTime(TimeUnit.MILLISECONDS)) : 0,
				(lateness != null) ? Math.round(lateness.max(TimeUnit.MILLISECONDS)) : 0);
	}

	private static boolean isFailure(Timer handled) {
		@Nullable String outcome = handled.getId().getTag(DelayQueueMeters.HANDLED.tag());
		for (HandlerOutcome one : HandlerOutcome.values()) {
			if (DelayQueueMeters.value(one).equals(outcome)) {
				return switch (one) {
					case SUCCESS, DEFER -> false;
					case RETRY, FAILURE, UNREADABLE -> true;
				};
			}
		}
		return false;
	}

}
