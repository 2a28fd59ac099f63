package io.delayqueue.store;

import java.util.List;

import io.delayqueue.queue.Partition;

/**
 * Receives the stream entries of messages that a call to Redis has cancelled, replaced or
 * purged while a consumer held them. An implementation must return at once. The
 * implementation is not called if the reply of Redis was lost.
 */
@FunctionalInterface
public interface HeldMessages {

	/** Ignores the stream entries of removed messages. */
	HeldMessages IGNORED = (partition, entries, how) -> {
	};

	/**
	 * Receives the stream entries of the messages that one call to Redis removed while a
	 * consumer held them.
	 * @param partition the partition
	 * @param entries the entries, at least one
	 * @param how whether the messages have ended or were replaced
	 */
	void removed(Partition partition, List<String> entries, Hint.Kind how);

}
