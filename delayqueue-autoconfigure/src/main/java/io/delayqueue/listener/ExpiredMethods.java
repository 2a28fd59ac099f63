package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The methods that take what has expired, each of which belongs to another method of its
 * queue. For one thread.
 */
final class ExpiredMethods {

	private final List<ExpiredMethod> methods = new ArrayList<>();

	private final Set<String> handled = new HashSet<>();

	private record ExpiredMethod(String queue, BeanNames beans, ListenerMethod method, Faults.OfMethod faults) {
	}

	/** The queue has a method that handles its messages in time, perhaps one at fault. */
	void isHandled(String queue) {
		this.handled.add(queue);
	}

	void add(String queue, Attributes attributes, ListenerMethod method, Faults.OfMethod faults) {
		this.methods.add(new ExpiredMethod(queue, attributes.beans(), method, faults));
	}

	/** Gives each one to its endpoint. */
	void giveTo(List<DelayedListenerEndpoint> endpoints) {
		for (ExpiredMethod expired : this.methods) {
			for (int i = 0; i < endpoints.size(); i++) {
				if (endpoints.get(i).queue().equals(expired.queue())) {
					endpoints.set(i, endpoints.get(i).with(expired.beans(), expired.method()));
				}
			}
			if (!this.handled.contains(expired.queue())) {
				expired.faults()
					.attribute("queue", expired.queue(),
							"has no other method, of this bean or of one that is found together with it, that handles"
									+ " its messages in time",
							"Add a method for the queue that does not take what has expired, best to the same bean");
			}
		}
	}

}
