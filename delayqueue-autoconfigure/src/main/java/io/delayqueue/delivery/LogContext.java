package io.delayqueue.delivery;

import java.util.Map;

import io.delayqueue.DelayQueueMdc;
import org.slf4j.MDC;

import org.springframework.util.ClassUtils;

/**
 * Lets everything that is logged about a message tell which one it is, where SLF4J is
 * present.
 */
final class LogContext {

	private static final boolean PRESENT = ClassUtils.isPresent("org.slf4j.MDC", LogContext.class.getClassLoader());

	private LogContext() {
	}

	/** Works on a delivery, and leaves the context as it was. */
	static void during(Delivery delivery, Runnable work) {
		if (PRESENT) {
			Slf4j.during(delivery, work);
		}
		else {
			work.run();
		}
	}

	/** Apart, so that nothing of SLF4J is loaded where it is absent. */
	private static final class Slf4j {

		static void during(Delivery delivery, Runnable work) {
			Map<String, String> before = MDC.getCopyOfContextMap();
			try {
				MDC.put(DelayQueueMdc.QUEUE, delivery.queue());
				MDC.put(DelayQueueMdc.ID, delivery.id());
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
