package io.delayqueue.autoconfigure;

import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;

/**
 * Logs once, when the application has started, the queues that properties name but that
 * have no listener in this process: a name may be misspelt.
 */
final class UnusedQueues implements ApplicationListener<ApplicationReadyEvent>, AopInfrastructureBean {

	private static final Log logger = LogFactory.getLog(UnusedQueues.class);

	private final KnownQueues queues;

	private boolean reported;

	UnusedQueues(KnownQueues queues) {
		this.queues = queues;
	}

	@Override
	public synchronized void onApplicationEvent(ApplicationReadyEvent event) {
		String unused = this.queues.unused()
			.stream()
			.map((queue) -> "'" + queue
					+ this.queues.nearest(queue).map((near) -> "' (is '" + near + "' meant?)").orElse("'"))
			.collect(Collectors.joining(", "));
		if (!unused.isEmpty() && !this.reported) {
			logger.info("delayqueue.queues configures queues that have no listener in this process: " + unused);
		}
		this.reported = true;
	}

}
