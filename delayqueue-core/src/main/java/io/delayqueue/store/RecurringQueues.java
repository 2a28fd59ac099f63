package io.delayqueue.store;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.delayqueue.redis.StoreException;

/**
 * The queues that have, or have had, recurring schedules. They are marked among the
 * epochs of all queues, whose version each member reads with every refresh: where no
 * queue is marked, no process sends a command for recurring schedules. Safe for use by
 * several threads.
 */
public final class RecurringQueues {

	/** No queue has a name with a colon. */
	private static final String MARK = "recurring:";

	private final StoredEpochs stored;

	private final Set<String> queues = ConcurrentHashMap.newKeySet();

	private final List<Consumer<String>> onMark = new CopyOnWriteArrayList<>();

	RecurringQueues(StoredEpochs stored) {
		this.stored = stored;
	}

	/**
	 * Adds an action for when this process has read that a queue is marked.
	 * @param action gets the queue; must return at once
	 */
	public void onMark(Consumer<String> action) {
		this.onMark.add(action);
	}

	/**
	 * Whether this process has read that a queue is marked.
	 * @param queue the queue
	 * @return {@code false} if it has not
	 */
	public boolean contains(String queue) {
		return this.queues.contains(queue);
	}

	/**
	 * Marks a queue. Calls Redis only if this process has not read the mark.
	 * @param queue the queue
	 * @return whether Redis was called
	 * @throws StoreException if Redis does not answer
	 */
	public boolean mark(String queue) {
		if (this.queues.contains(queue)) {
			return false;
		}
		this.stored.mark(MARK + queue);
		add(queue);
		return true;
	}

	/** Finds the marks among the fields of the epochs. */
	void read(Collection<String> fields) {
		fields.stream()
			.filter((field) -> field.startsWith(MARK))
			.forEach((field) -> add(field.substring(MARK.length())));
	}

	private void add(String queue) {
		if (this.queues.add(queue)) {
			this.onMark.forEach((action) -> action.accept(queue));
		}
	}

}
