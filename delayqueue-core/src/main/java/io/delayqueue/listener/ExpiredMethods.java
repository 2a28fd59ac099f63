package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The methods for expired messages, each of which belongs to another method of its queue.
 * Not thread-safe.
 */
final class ExpiredMethods {

	private final List<ExpiredMethod> methods = new ArrayList<>();

	private final Set<String> handled = new HashSet<>();

	private record ExpiredMethod(String queue, BeanNames beans, ListenerMethod method, Faults.OfMethod faults) {
	}

	/** Records that the queue has another method, valid or not. */
	void markHandled(String queue) {
		this.handled.add(queue);
	}

	void add(String queue, Attributes attributes, ListenerMethod method, Faults.OfMethod faults) {
		this.methods.add(new ExpiredMethod(queue, attributes.beans(), method, faults));
	}

	/** Assigns each method to the endpoint of its queue. */
	void assignTo(List<DelayedListenerEndpoint> endpoints) {
		for (ExpiredMethod expired : this.methods) {
			for (int i = 0; i < endpoints.size(); i++) {
				if (endpoints.get(i).queue().equals(expired.queue())) {
					endpoints.set(i, endpoints.get(i).with(expired.beans(), expired.method()));
				}
			}
			if (!this.handled.contains(expired.queue())) {
				expired.faults()
					.attribute("queue", expired.queue(),
							"has no listener method without expired = true on this bean, or on a bean that is registered"
									+ " together with it",
							"Add a listener method for the queue, preferably to the same bean");
			}
		}
	}

}
