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
 * Gives each annotated method its container: all of them, or none if one is at fault.
 * Looks up other beans only when there is something to register. Safe for use by several
 * threads.
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
	 * @param faults what is known to be wrong already
	 * @throws DelayedListenerDefinitionException if anything is wrong; nothing is
	 * registered then
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
				remark(endpoint, arguments);
				DelayedListenerEndpoint expired = endpoint.expired();
				if (expired != null) {
					remark(expired, arguments);
				}
			});
			containers.forEach(registry()::add);
		}
		catch (RuntimeException ex) {
			read.giveBackClaims();
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
		DelayedListenerEndpoint other = endpoint.expired();
		MessageHandler expired = (other != null) ? this.handlers.of(other) : null;
		return (batches != null)
				? consumers.create(settings, this.handlers.ofBatches(endpoint, faults), batches, expired, executor)
				: consumers.create(settings, this.handlers.of(endpoint), expired, executor);
	}

	private DelayedListenerRegistry registry() {
		return this.beanFactory.getBean(DelayedListenerRegistry.class);
	}

	/** Says once what is allowed but perhaps not meant. */
	private static void remark(DelayedListenerEndpoint endpoint, ListenerArguments arguments) {
		ListenerMethod method = endpoint.method();
		logger.debug("Listener '" + endpoint.id() + "' of queue '" + endpoint.queue() + "' is " + method);
		if (ReturnTypes.isIgnored(method.getReturnedClass())) {
			logger.info("What " + method + " returns is ignored: only an exception or a CompletionStage counts");
		}
		for (MethodParameter parameter : method.getMethodParameters()) {
			if (arguments.lacksValidator(parameter)) {
				logger.warn("Payloads for " + method + " are not validated: there is no single Validator bean");
			}
		}
	}

}
