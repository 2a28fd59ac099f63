package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.Executor;

import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.listener.EndpointReader.Endpoints;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodParameter;

/**
 * Creates and registers a container for each annotated method: for all of them, or for
 * none if one is invalid. Looks up other beans only if there are methods to register.
 * Thread-safe.
 */
final class EndpointRegistrar {

	private static final Log logger = LogFactory.getLog(EndpointRegistrar.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final EndpointReader reader;

	private final EndpointHandlers handlers;

	EndpointRegistrar(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.reader = new EndpointReader(beanFactory);
		this.handlers = new EndpointHandlers(beanFactory);
	}

	/**
	 * Registers all listeners of these beans.
	 * @param beans the beans
	 * @param faults the faults that were found before
	 * @throws DelayedListenerDefinitionException if there are faults; then nothing is
	 * registered
	 */
	void register(List<ListenerBean> beans, Faults faults) {
		if (beans.isEmpty()) {
			faults.throwIfAny();
			return;
		}
		ListenerArguments arguments = new ListenerArguments(this.beanFactory);
		Endpoints read = this.reader.read(beans, arguments, faults);
		try {
			faults.throwIfAny();
			List<DelayedListenerContainer> containers = read.endpoints()
				.stream()
				.map((endpoint) -> container(endpoint, faults))
				.toList();
			faults.throwIfAny();
			read.endpoints().forEach((endpoint) -> {
				logRemarks(endpoint, arguments);
				DelayedListenerEndpoint expired = endpoint.expired();
				if (expired != null) {
					logRemarks(expired, arguments);
				}
			});
			containers.forEach(registry()::add);
		}
		catch (RuntimeException ex) {
			read.releaseClaims();
			throw ex;
		}
	}

	private DelayedListenerContainer container(DelayedListenerEndpoint endpoint, Faults faults) {
		return new DelayedListenerContainer(endpoint, consumer(endpoint, faults), registry().stopTimeout());
	}

	private QueueConsumer consumer(DelayedListenerEndpoint endpoint, Faults faults) {
		QueueSettings settings = endpoint.sizes().of(this.beanFactory.getBean(Queues.class).settings(endpoint.queue()));
		String named = endpoint.beans().executor();
		Executor executor = (named != null) ? this.beanFactory.getBean(named, Executor.class) : null;
		QueueConsumerFactory consumers = this.beanFactory.getBean(QueueConsumerFactory.class);
		BatchSettings batches = endpoint.sizes().batches();
		DelayedListenerEndpoint expiredEndpoint = endpoint.expired();
		MessageHandler expired = (expiredEndpoint != null) ? this.handlers.of(expiredEndpoint) : null;
		return (batches != null)
				? consumers.create(settings, this.handlers.ofBatches(endpoint, faults), batches, expired, executor)
				: consumers.create(settings, this.handlers.of(endpoint), expired, executor);
	}

	private DelayedListenerRegistry registry() {
		return this.beanFactory.getBean(DelayedListenerRegistry.class);
	}

	/** Logs once what is allowed but possibly not intended. */
	private static void logRemarks(DelayedListenerEndpoint endpoint, ListenerArguments arguments) {
		ListenerMethod method = endpoint.method();
		logger.debug("Listener '" + endpoint.id() + "' of queue '" + endpoint.queue() + "' is " + method);
		if (ReturnTypes.isIgnored(method.getReturnedClass())) {
			logger.info("The return value of " + method
					+ " is ignored: only an exception or a CompletionStage determines the outcome");
		}
		for (MethodParameter parameter : method.getMethodParameters()) {
			if (arguments.lacksValidator(parameter)) {
				logger.warn("Payloads for " + method + " are not validated: there is no single Validator bean");
			}
		}
	}

}
