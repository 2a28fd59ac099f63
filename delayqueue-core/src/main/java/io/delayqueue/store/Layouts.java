package io.delayqueue.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.queue.Partition;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Records the partitions whose keys have the layout of another version of the library.
 * This process skips such partitions, because its writes might have another meaning in
 * the other layout. Safe for use by several threads.
 *
 * <p>
 * How versions with different layouts run side by side:
 * <ol>
 * <li>The layout of a partition is stored in its {@code control} key, from the first
 * message on. Every script that writes checks the layout first, atomically with its
 * writes. A script whose result decides what other scripts write also checks the layout
 * first. These scripts refuse a partition of another layout. A version of the library
 * changes the layout of a partition in one script. From then on, the partition refuses
 * all calls of older versions.</li>
 * <li>The scripts refuse settlements, too: a process of an older version cannot
 * acknowledge a message that it handles while the layout changes. The record stays, and a
 * process of the new version delivers the message again.</li>
 * <li>The renewal of leases (XCLAIM) is a plain command, which cannot check the layout. A
 * process does not renew leases while its scripts find another layout.</li>
 * <li>A process whose calls are refused tries again at its usual intervals, and continues
 * once Redis accepts its calls.</li>
 * </ol>
 */
final class Layouts {

	/** The number of the layout that the scripts give a new partition. */
	static final String KNOWN = "1";

	private static final Log logger = LogFactory.getLog(Layouts.class);

	private final Map<Partition, String> foreign = new ConcurrentHashMap<>();

	/**
	 * Records that a script has refused a partition because of its layout, and logs each
	 * such partition once.
	 */
	void refused(Partition partition, String error) {
		if (this.foreign.put(partition, error) == null) {
			logger.warn("Partition " + partition + " is skipped: its keys have the layout of another version of this"
					+ " library (" + error
					+ "). This process does not sweep, handle, settle or repair its messages until"
					+ " the layout changes; stop this process once processes of the other version run");
		}
	}

	/**
	 * Records that a script has checked the layout of a partition, and has accepted the
	 * partition.
	 */
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
