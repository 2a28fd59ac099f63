package io.delayqueue.delivery;

import java.util.List;
import java.util.Map;

import io.delayqueue.DelayQueueMdc;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.ClassUtils;

/**
 * Adds queue, message id and group to the SLF4J context (MDC) of every log line about a
 * message, if SLF4J is present.
 */
final class LogContext {

	private static final boolean PRESENT = ClassUtils.isPresent("org.slf4j.MDC", LogContext.class.getClassLoader());

	private LogContext() {
	}

	/**
	 * Runs work with the queue, the id and the group of a delivery in the MDC, then
	 * restores the MDC.
	 */
	static void during(Delivery delivery, Runnable work) {
		during(delivery.queue(), delivery, work);
	}

	/** Runs work with the name of a queue in the MDC, then restores the MDC. */
	static void during(String queue, Runnable work) {
		during(queue, null, work);
	}

	/**
	 * Runs work with the queue of the deliveries in the MDC, and with the message id and
	 * group if there is only one delivery, then restores the MDC.
	 */
	static void during(List<DeliveryTask> tasks, Runnable work) {
		during(tasks.get(0).queue(), (tasks.size() == 1) ? tasks.get(0) : null, work);
	}

	private static void during(String queue, @Nullable Delivery single, Runnable work) {
		if (PRESENT) {
			Slf4j.during(queue, single, work);
		}
		else {
			work.run();
		}
	}

	/**
	 * Contains all uses of SLF4J, so that the JVM does not load classes of SLF4J where
	 * SLF4J is absent.
	 */
	private static final class Slf4j {

		static void during(String queue, @Nullable Delivery single, Runnable work) {
			Map<String, String> before = MDC.getCopyOfContextMap();
			try {
				MDC.put(DelayQueueMdc.QUEUE, queue);
				if (single != null) {
					MDC.put(DelayQueueMdc.ID, single.id());
				}
				if (single != null && single.group() != null) {
					MDC.put(DelayQueueMdc.GROUP, single.group());
				}
				work.run();
			}
			finally {
				if (before != null) {
					MDC.setContextMap(before);
				}
				else {
					MDC.clear();
				}
			}
		}

	}

}
