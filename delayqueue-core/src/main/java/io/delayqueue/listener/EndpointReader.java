package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Reads the annotated methods of beans, checks attributes and signatures, and claims
 * queues and ids.
 */
final class EndpointReader {

	private final ConfigurableBeanFactory beanFactory;

	private final AttributeReader attributes;

	private final Claims claims = new Claims();

	EndpointReader(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.attributes = new AttributeReader(beanFactory);
	}

	/**
	 * Reads all methods of these beans.
	 * @param beans the beans
	 * @param arguments resolves the methods' arguments
	 * @param faults receives the faults
	 * @return the endpoints and their claims; complete only if there are no faults
	 */
	Endpoints read(List<ListenerBean> beans, ListenerArguments arguments, Faults faults) {
		Endpoints endpoints = new Endpoints(new ArrayList<>(), new ArrayList<>());
		SignatureRules rules = new SignatureRules(arguments);
		Queues queues = this.beanFactory.getBean(Queues.class);
		BatchRules batchRules = new BatchRules(queues, arguments);
		ExpiredMethods expired = new ExpiredMethods();
		for (ListenerBean bean : beans) {
			bean.methods().forEach((method, annotation) -> {
				Faults.OfMethod ofMethod = faults.of(bean.name(), ListenerMethods.describe(bean.type(), method));
				ListenerMethod listener = method(bean, method, arguments, ofMethod);
				rules.check(listener, ofMethod);
				Attributes resolved = this.attributes.read(annotation, ofMethod);
				batchRules.check(resolved, listener, ofMethod);
				this.claims.claim(resolved, ofMethod, endpoints.undo());
				String queue = resolved.queue();
				if (queue != null && resolved.expired()) {
					expired.add(queue, resolved, listener, ofMethod);
				}
				else if (queue != null) {
					expired.markHandled(queue);
					add(queue, resolved, listener, queues.settings(queue), endpoints);
				}
			});
		}
		expired.assignTo(endpoints.endpoints());
		return endpoints;
	}

	private static ListenerMethod method(ListenerBean bean, Method method, ListenerArguments arguments,
			Faults.OfMethod faults) {
		Method invocable = InvocableMethods.select(bean, method, faults);
		return new ListenerMethod(bean, method, invocable, arguments);
	}

	private static void add(String queue, Attributes attributes, ListenerMethod method, QueueSettings settings,
			Endpoints endpoints) {
		String id = attributes.id();
		if (id != null) {
			endpoints.endpoints()
				.add(new DelayedListenerEndpoint(id, queue, Sizes.of(attributes, settings), attributes.autoStartup(),
						attributes.beans(), method, null));
		}
	}

	/**
	 * The endpoints of one call.
	 *
	 * @param endpoints the endpoints
	 * @param undo the actions that release their claims
	 */
	record Endpoints(List<DelayedListenerEndpoint> endpoints, List<Runnable> undo) {

		void releaseClaims() {
			this.undo.forEach(Runnable::run);
		}

	}

}
