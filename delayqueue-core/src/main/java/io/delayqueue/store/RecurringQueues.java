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
 * The queues that have, or recently had, recurring schedules. Redis stores a mark of each
 * such queue in the hash with the epochs of all queues. Each member (process) reads the
 * version of this hash whenever it refreshes its membership. If no queue has a mark, no
 * process sends a command for recurring schedules. Safe for use by several threads.
 */
public final class RecurringQueues {

	private static final Log logger = LogFactory.getLog(RecurringQueues.class);

	/**
	 * The beginning of the hash field of a mark. No name of a queue begins with it,
	 * because names have no colon.
	 */
	private static final String MARK = "recurring:";

	private final StoredEpochs stored;

	private final Set<String> queues = ConcurrentHashMap.newKeySet();

	private final List<Consumer<String>> onMark = new CopyOnWriteArrayList<>();

	RecurringQueues(StoredEpochs stored) {
		this.stored = stored;
	}

	/**
	 * Adds an action that runs when this process reads for the first time that a queue
	 * has recurring schedules.
	 * @param action receives the name of the queue; must return at once
	 */
	public void onMark(Consumer<String> action) {
		this.onMark.add(action);
	}

	/**
	 * Whether a queue has, or recently had, recurring schedules, as this process has read
	 * last.
	 * @param queue the queue
	 * @return {@code true} if this process has read a mark of the queue
	 */
	public boolean contains(String queue) {
		return this.queues.contains(queue);
	}

	/**
	 * Reads from Redis which queues have, or recently had, recurring schedules.
	 * @return the names of the queues, in one call to Redis
	 * @throws StoreException if Redis does not answer
	 */
	public Set<String> stored() {
		return marked(this.stored.changed().keySet());
	}

	/**
	 * Stores the mark that a queue has recurring schedules. Calls Redis only if this
	 * process has not read the mark.
	 * @param queue the queue
	 * @return whether this method has called Redis
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
	 * Gives the mark of a queue that has recurring schedules a new value, so that a
	 * process that has begun to remove the mark does not remove it.
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
	 * Removes the mark of a queue that has no recurring schedule. Keeps the mark if a
	 * schedule is stored meanwhile, because the call that stores the first schedule of a
	 * partition also gives the mark a new value.
	 * @param epochs the epochs of the queue
	 * @param isUsed returns whether a partition has recurring schedules; for a partition
	 * without any, the call also removes the field {@code recurring} of the partition's
	 * key {@code control}
	 * @return whether this call has removed the mark of the queue
	 * @throws StoreException if Redis does not answer
	 */
	public boolean removeIfUnused(Epochs epochs, Predicate<Partition> isUsed) {
		String mark = this.stored.mark(MARK + epochs.queue());
		// The oldest epoch is checked first, because processes move schedules to newer
		// epochs
		return !mark.isEmpty() && epochs.partitions().stream().noneMatch(isUsed) && isCurrent(epochs)
				&& this.stored.change(MARK + epochs.queue(), mark, "");
	}

	/**
	 * Whether the given epochs are still those in Redis. If Redis has a newer epoch, a
	 * process may have moved schedules to this epoch.
	 */
	private boolean isCurrent(Epochs epochs) {
		return this.stored.changed(epochs.queue()).map(epochs::equals).orElse(epochs.isFirst());
	}

	/** Reads, from the fields of the hash with the epochs, which queues have a mark. */
	void read(Collection<String> fields) {
		Set<String> marked = marked(fields);
		this.queues.retainAll(marked);
		marked.forEach(this::add);
	}

	private static Set<String> marked(Collection<String> fields) {
		return fields.stream()
			.filter((field) -> field.startsWith(MARK))
			.map((field) -> field.substring(MARK.length()))
			.collect(Collectors.toSet());
	}

	private void add(String queue) {
		if (this.queues.add(queue)) {
			this.onMark.forEach((action) -> action.accept(queue));
		}
	}

}
