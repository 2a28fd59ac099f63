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

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Statistics of the queues that this process handles, read from its meters. Safe for use
 * by several threads.
 */
public final class ProcessStatistics implements AopInfrastructureBean {

	private static final String QUEUE = "queue";

	private final MeterRegistry registry;

	/**
	 * Creates the statistics.
	 * @param registry the registry of the meters
	 */
	public ProcessStatistics(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Statistics of a queue since this process began to handle messages of the queue. The
	 * numbers of one queue are read one after the other, so they need not add up.
	 *
	 * @param queue the queue's name
	 * @param handled number of deliveries whose handler has ended
	 * @param failed number of deliveries that failed
	 * @param delivered number of messages delivered to a handler for the first time
	 * @param latenessMillis total lateness of the first deliveries, in milliseconds
	 * @param worstLatenessMillis maximum lateness of the last minutes, in milliseconds; 0
	 * if there was no delivery
	 */
	public record Figures(String queue, long handled, long failed, long delivered, long latenessMillis,
			long worstLatenessMillis) {
	}

	/**
	 * {@return the statistics of all queues that this process handles or has handled,
	 * ordered by queue name; empty if the meters are disabled}
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
		for (HandlerOutcome candidate : HandlerOutcome.values()) {
			if (DelayQueueMeters.value(candidate).equals(outcome)) {
				return switch (candidate) {
					case SUCCESS, DEFER, CANCELLED -> false;
					case RETRY, FAILURE, UNREADABLE -> true;
				};
			}
		}
		return false;
	}

}
