package io.delayqueue.listener;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reserves queues and ids for methods, each for one method only. Thread-safe.
 */
final class Claims {

	private final Map<String, String> queues = new ConcurrentHashMap<>();

	private final Map<String, String> expired = new ConcurrentHashMap<>();

	private final Map<String, String> ids = new ConcurrentHashMap<>();

	/**
	 * Claims a method's queue and id, unless they are invalid.
	 * @param attributes the method's attributes
	 * @param faults receives a fault if another method has the queue or id already
	 * @param undo receives the actions that release the claims
	 */
	void claim(Attributes attributes, Faults.OfMethod faults, List<Runnable> undo) {
		String owner = faults.method() + " of bean '" + faults.bean() + "'";
		String queue = attributes.queue();
		String id = attributes.id();
		if (attributes.expired()) {
			if (queue != null) {
				claimExpired(queue, owner, faults, undo);
			}
			return;
		}
		if (queue != null) {
			String first = this.queues.putIfAbsent(queue, owner);
			if (first != null) {
				faults.attribute("queue", queue, "already has a listener, " + first,
						"A queue has one listener in an application: merge the two, or use another queue for one of them");
				return;
			}
			undo.add(() -> this.queues.remove(queue));
		}
		if (id != null) {
			String first = this.ids.putIfAbsent(id, owner);
			if (first != null) {
				faults.attribute("id", id, "is already the id of " + first, "Give one of them another id");
				return;
			}
			undo.add(() -> this.ids.remove(id));
		}
	}

	private void claimExpired(String queue, String owner, Faults.OfMethod faults, List<Runnable> undo) {
		String first = this.expired.putIfAbsent(queue, owner);
		if (first != null) {
			faults.attribute("queue", queue, "already has a method for expired messages, " + first,
					"Merge the two, or use another queue for one of them");
			return;
		}
		undo.add(() -> this.expired.remove(queue));
	}

}
