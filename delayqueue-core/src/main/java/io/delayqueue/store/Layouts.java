package io.delayqueue.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.queue.Partition;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Records the partitions whose keys have the layout of another version of the library:
 * this process skips them, because its writes might have another meaning in that layout.
 * Safe for use by several threads.
 *
 * <p>
 * How versions with different layouts run side by side:
 * <ol>
 * <li>The layout of a partition is stored in its {@code control} key, from the first
 * message on. Every script that writes checks the layout first, atomically with its
 * writes; so does every script whose result decides what other scripts write. The scripts
 * refuse a partition of another layout. A version that changes the layout of a partition
 * does so in one script, and from then on no call of an older version reaches the
 * partition.</li>
 * <li>The scripts refuse a settlement, too: a message that an older version handles while
 * the layout changes is not acknowledged by that version. The record stays, and a process
 * of the new version delivers the message again.</li>
 * <li>Renewing leases (XCLAIM) is a plain command, which cannot check the layout. A
 * process does not send it while it knows of another layout.</li>
 * <li>A refused process tries again at its usual intervals, and continues once Redis
 * accepts its calls.</li>
 * </ol>
 */
final class Layouts {

	/** The number of the layout of a new partition, as in the scripts. */
	static final String KNOWN = "1";

	private static final Log logger = LogFactory.getLog(Layouts.class);

	private final Map<Partition, String> foreign = new ConcurrentHashMap<>();

	/**
	 * Records that a script has refused a partition, and logs this once for each
	 * partition.
	 */
	void refused(Partition partition, String error) {
		if (this.foreign.put(partition, error) == null) {
			logger.warn("Partition " + partition + " is skipped: its keys have the layout of another version of this"
					+ " library (" + error
					+ "). This process does not sweep, handle, settle or repair its messages until"
					+ " the layout changes; stop this process once processes of the other version run");
		}
	}

	/** Records that a script that checks the layout has accepted a partition. */
	void accepted(Partition partition) {
		if (!this.foreign.isEmpty() && this.foreign.remove(partition) != null) {
			logger.info("The keys of partition " + partition + " have the layout of this version again; "
					+ "processing continues");
		}
	}

	boolean isForeign(Partition partition) {
		return this.foreign.containsKey(partition);
	}

	/** Returns the error text of each partition that this process skips. */
	Map<Partition, String> foreign() {
		return Map.copyOf(this.foreign);
	}

}
