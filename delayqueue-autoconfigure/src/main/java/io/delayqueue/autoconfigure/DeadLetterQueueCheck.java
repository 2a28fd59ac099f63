package io.delayqueue.autoconfigure;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.autoconfigure.DelayQueueProperties.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Checks that dead letters do not move in a circle: the chain from a queue to its
 * dead-letter queue, to the dead-letter queue of that queue, and so on, must not lead
 * back to a queue in the chain.
 *
 * @param faults collects the faults
 */
record DeadLetterQueueCheck(ConfigurationFaults faults) {

	private static final String NAME_RULE = "1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit";

	void check(Queue defaults, Map<String, Queue> queues) {
		boolean areNames = isName("delayqueue.defaults.dead-letter-queue", defaults.deadLetterQueue());
		for (Map.Entry<String, Queue> queue : queues.entrySet()) {
			areNames &= isName(path(queue.getKey()), queue.getValue().deadLetterQueue());
		}
		if (!areNames) {
			return;
		}
		queues.forEach((name, queue) -> {
			String target = queue.deadLetterQueue();
			if (target != null && !target.isEmpty()) {
				checkCycle(name, target, defaults, queues);
			}
		});
	}

	private void checkCycle(String queue, String target, Queue defaults, Map<String, Queue> queues) {
		Set<String> passed = new LinkedHashSet<>();
		String next = queue;
		while (next != null && passed.add(next)) {
			next = next(next, defaults, queues);
		}
		if (queue.equals(next)) {
			this.faults.add(path(queue), target,
					"must not lead back to its own queue: " + String.join(" -> ", passed) + " -> " + next,
					"Set the dead-letter-queue of one of these queues to another queue, or to nothing");
		}
	}

	/**
	 * Returns the dead-letter queue of a queue, {@code null} if none is configured or its
	 * name is empty. The queue that is the default dead-letter queue does not use this
	 * default.
	 */
	private static @Nullable String next(String queue, Queue defaults, Map<String, Queue> queues) {
		Queue own = queues.get(queue);
		return HistoryProperties.deadLetterQueue(queue, (own != null) ? own.deadLetterQueue() : null,
				defaults.deadLetterQueue());
	}

	private boolean isName(String property, @Nullable String name) {
		if (name == null || name.isEmpty()) {
			return true;
		}
		try {
			MessageKey.of(name, "any");
			return true;
		}
		catch (InvalidMessageException broken) {
			this.faults.add(property, name, "must be the name of a queue: " + NAME_RULE, "Correct " + property);
			return false;
		}
	}

	private static String path(String queue) {
		return "delayqueue.queues." + PropertyText.name(queue) + ".dead-letter-queue";
	}

}
