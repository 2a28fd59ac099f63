package io.delayqueue.store;

import java.util.List;

import io.delayqueue.queue.Partition;

/**
 * Takes the stream entries of messages that a call has cancelled, replaced or purged
 * while a consumer held them. Must return at once. A call whose reply was lost reports
 * nothing.
 */
@FunctionalInterface
public interface HeldMessages {

	/** Ignores the entries. */
	HeldMessages IGNORED = (partition, entries) -> {
	};

	/**
	 * Takes entries.
	 * @param partition the partition
	 * @param entries the entries, at least one
	 */
	void removed(Partition partition, List<String> entries);

}
