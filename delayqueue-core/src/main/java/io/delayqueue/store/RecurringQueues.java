package io.delayqueue.store;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The queues that have, or recently had, recurring schedules. A mark of each is stored
 * beside the epochs of all queues, whose version each member reads at every refresh: if
 * no queue is marked, no process sends a command for recurring schedules. Safe for use by
 * several threads.
 */
public final class RecurringQueues {

	private static final Log logger = LogFactory.getLog(RecurringQueues.class);

	/** The beginning of a mark's field; the names of queues have no colon. */
	private static final String MARK = "recurring:";

	private final StoredEpochs stored;

	private final Set<String> queues = ConcurrentHashMap.newKeySet();

	private final List<Consumer<String>> onMark = new CopyOnWriteArrayList<>();

	RecurringQueues(StoredEpochs stored) {
		this.stored = stored;
	}

	/**
	 * Adds an action that runs when this process reads the mark of a queue for the first
	 * time.
	 * @param action gets the queue; must return at once
	 */
	public void onMark(Consumer<String> action) {
		this.onMark.add(action);
	}

	/**
	 * Whether this process has read that a queue is marked.
	 * @param queue the queue
	 * @return {@code false} if this process has not read a mark of the queue
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
		renew(queue);
		return true;
	}

	/**
	 * Stores a new mark of a queue, so that a removal that another process has begun
	 * fails.
	 * @param queue the queue
	 * @throws StoreException if Redis does not answer
	 */
	public void renew(String queue) {
		String mark = CallToken.next();
		while (!this.stored.change(MARK + queue, this.stored.mark(MARK + queue), mark)) {
			logger.debug("Another process has marked queue '" + queue + "' meanwhile; trying again");
		}
		add(queue);
	}

	/**
	 * Removes the mark of a queue that has no recurring schedule, unless one is stored
	 * meanwhile: the first schedule of a partition renews the mark.
	 * @param epochs the epochs of the queue
	 * @param isUsed whether a partition has recurring schedules; removes its mark if not
	 * @return whether this call has removed the mark
	 * @throws StoreException if Redis does not answer
	 */
	public boolean removeIfUnused(Epochs epochs, Predicate<Partition> isUsed) {
		String mark = this.stored.mark(MARK + epochs.queue());
		// The oldest epoch is checked first, because schedules move to newer epochs
		return !mark.isEmpty() && epochs.partitions().stream().noneMatch(isUsed) && isCurrent(epochs)
				&& this.stored.change(MARK + epochs.queue(), mark, "");
	}

	/** Whether Redis has no newer epoch, to which schedules may have moved. */
	private boolean isCurrent(Epochs epochs) {
		return this.stored.changed(epochs.queue()).map(epochs::equals).orElse(epochs.isFirst());
	}

	/** Reads which queues are marked from the fields beside the epochs. */
	void read(Collection<String> fields) {
		Set<String> marked = fields.stream()
			.filter((field) -> field.startsWith(MARK))
			.map((field) -> field.substring(MARK.length()))
			.collect(Collectors.toSet());
		this.queues.retainAll(marked);
		marked.forEach(this::add);
	}

	private void add(String queue) {
		if (this.queues.add(queue)) {
			this.onMark.forEach((action) -> action.accept(queue));
		}
	}

}
