package io.delayqueue.delivery;

import java.util.List;
import java.util.Map;

import io.delayqueue.DelayQueueMdc;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.ClassUtils;

/**
 * Adds queue and message id to the SLF4J context (MDC) of every log line about a message,
 * if SLF4J is present.
 */
final class LogContext {

	private static final boolean PRESENT = ClassUtils.isPresent("org.slf4j.MDC", LogContext.class.getClassLoader());

	private LogContext() {
	}

	/**
	 * Runs work with the queue and the id of a delivery in the MDC, then restores the
	 * MDC.
	 */
	static void during(Delivery delivery, Runnable work) {
		during(delivery.queue(), delivery.id(), work);
	}

	/** Runs work with the name of a queue in the MDC, then restores the MDC. */
	static void during(String queue, Runnable work) {
		during(queue, null, work);
	}

	/**
	 * Runs work with the queue of the deliveries in the MDC, and with the message id if
	 * there is only one delivery, then restores the MDC.
	 */
	static void during(List<DeliveryTask> tasks, Runnable work) {
		during(tasks.get(0).queue(), (tasks.size() == 1) ? tasks.get(0).id() : null, work);
	}

	private static void during(String queue, @Nullable String id, Runnable work) {
		if (PRESENT) {
			Slf4j.during(queue, id, work);
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

		static void during(String queue, @Nullable String id, Runnable work) {
			Map<String, String> before = MDC.getCopyOfContextMap();
			try {
				MDC.put(DelayQueueMdc.QUEUE, queue);
				if (id != null) {
					MDC.put(DelayQueueMdc.ID, id);
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
