package io.delayqueue.store;

import java.util.List;

import io.delayqueue.queue.Partition;

/**
 * Receives the stream entries of messages that a call has cancelled, replaced or purged
 * while a consumer held them. Every receiver must return at once. A call whose reply was
 * lost notifies nothing.
 */
@FunctionalInterface
public interface HeldMessages {

	/** Ignores the entries. */
	HeldMessages IGNORED = (partition, entries) -> {
	};

	/**
	 * Called with the stream entries of one call.
	 * @param partition the partition
	 * @param entries the entries, at least one
	 */
	void removed(Partition partition, List<String> entries);

}
