package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.queue.Queues;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Reads the annotated methods of beans, checks attributes and signatures, and claims
 * queues and ids, each for one method only. Thread-safe.
 */
final class EndpointReader {

	private final ConfigurableBeanFactory beanFactory;

	/** The methods by the queues and ids that they have claimed. */
	private final Map<String, String> claims = new ConcurrentHashMap<>();

	EndpointReader(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Reads all annotated methods of the given beans.
	 * @param beans the beans
	 * @param arguments resolves the methods' arguments
	 * @param faults receives the faults
	 * @param claimed receives the claims
	 * @return the endpoints; complete only if there are no faults
	 */
	List<DelayedListenerEndpoint> read(List<ListenerBean> beans, ListenerArguments arguments, Faults faults,
			Collection<String> claimed) {
		Queues queues = this.beanFactory.getBean(Queues.class);
		ListenerRules rules = new ListenerRules(queues, arguments);
		List<ReadMethod> read = new ArrayList<>();
		for (ListenerBean bean : beans) {
			AttributeReader attributes = new AttributeReader(this.beanFactory, bean.bean());
			bean.methods().forEach((method, annotation) -> {
				Faults.OfMethod ofMethod = faults.of(bean.name(), ListenerBean.describe(bean.type(), method));
				ListenerMethod listener = new ListenerMethod(bean, method, arguments, ofMethod);
				rules.checkSignature(listener, ofMethod);
				attributes.read(annotation, ofMethod).forEach((resolved) -> {
					rules.checkBatches(listener, resolved, ofMethod);
					claim(resolved, ofMethod, claimed);
					read.add(new ReadMethod(resolved, listener, ofMethod));
				});
			});
		}
		return endpoints(read, queues);
	}

	private record ReadMethod(Attributes attributes, ListenerMethod method, Faults.OfMethod faults) {

		boolean isOf(String queue, boolean expired) {
			return queue.equals(this.attributes.queue()) && this.attributes.expired() == expired;
		}

	}

	/**
	 * Assigns each method for expired messages to the method that handles the other
	 * messages of the same queue.
	 */
	private static List<DelayedListenerEndpoint> endpoints(List<ReadMethod> methods, Queues queues) {
		List<DelayedListenerEndpoint> endpoints = new ArrayList<>();
		for (ReadMethod method : methods) {
			Attributes attributes = method.attributes();
			String queue = attributes.queue();
			String id = attributes.id();
			if (queue == null || id == null) {
				continue;
			}
			if (!attributes.expired()) {
				DelayedListenerEndpoint expired = methods.stream()
					.filter((other) -> other.isOf(queue, true))
					.findFirst()
					.map((other) -> new DelayedListenerEndpoint(id, queues.settings(queue), other.attributes(),
							other.method(), null))
					.orElse(null);
				endpoints
					.add(new DelayedListenerEndpoint(id, queues.settings(queue), attributes, method.method(), expired));
			}
			else if (methods.stream().noneMatch((other) -> other.isOf(queue, false))) {
				method.faults()
					.attribute("queue", queue,
							"has no listener method without expired = true on this bean, or on a bean that is registered"
									+ " together with it",
							"Add a listener method for the queue, preferably to the same bean");
			}
		}
		return endpoints;
	}

	/** Claims a method's queue and id, unless they are invalid. */
	private void claim(Attributes attributes, Faults.OfMethod faults, Collection<String> claimed) {
		String queue = attributes.queue();
		String id = attributes.id();
		if (queue != null && attributes.expired()) {
			String first = claim("expired messages of queue " + queue, faults, claimed);
			if (first != null) {
				faults.attribute("queue", queue, "already has a method for expired messages, " + first,
						"Merge the two, or use another queue for one of them");
			}
		}
		if (attributes.expired()) {
			return;
		}
		if (queue != null) {
			String first = claim("queue " + queue, faults, claimed);
			if (first != null) {
				faults.attribute("queue", queue, "already has a listener, " + first,
						"A queue has one listener in an application: merge the two, or use another queue for one of them");
				return;
			}
		}
		if (id != null) {
			String first = claim("id " + id, faults, claimed);
			if (first != null) {
				faults.attribute("id", id, "is already the id of " + first, "Give one of them another id");
			}
		}
	}

	/** Returns the method that has the claim already, {@code null} if there is none. */
	private @Nullable String claim(String what, Faults.OfMethod faults, Collection<String> claimed) {
		String first = this.claims.putIfAbsent(what, faults.method() + " of bean '" + faults.bean() + "'");
		if (first == null) {
			claimed.add(what);
		}
		return first;
	}

	void release(Collection<String> claimed) {
		this.claims.keySet().removeAll(claimed);
	}

	/** Releases what methods of a bean that is removed have claimed. */
	void release(String bean) {
		this.claims.values().removeIf((method) -> method.endsWith(" of bean '" + bean + "'"));
	}

}
