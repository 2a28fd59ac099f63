package io.delayqueue.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Knows the partitions whose keys another version of the library has laid out: what this
 * version would write there might mean something else. Safe for use by several threads.
 *
 * <p>
 * How versions that know different layouts live side by side:
 * <ol>
 * <li>The layout of a partition stands in its {@code control} key, from the first message
 * on. Every script that writes looks at it before anything else, in the same step, and so
 * does every script that others go by to write. A partition of another layout is refused.
 * So whoever lays a partition out anew does it in one script, and from then on nothing of
 * an older version reaches it.</li>
 * <li>A settlement is refused too: what an older version has in hand when its partition
 * is laid out anew is not acknowledged by it. The record stays, and whoever knows the new
 * layout delivers it again.</li>
 * <li>Renewing leases (XCLAIM) is a plain command, which cannot look. It is not sent
 * while the layout is known to be another one.</li>
 * <li>Whoever was refused asks again at his usual intervals, and goes on once he is not.
 * </li>
 * </ol>
 */
final class Layouts {

	/** The layout that this version knows, as the scripts say it. */
	static final String KNOWN = "1";

	/** What a refusal begins with. */
	static final String CODE = "LAYOUT";

	private static final Log logger = LogFactory.getLog(Layouts.class);

	private final Map<Partition, String> foreign = new ConcurrentHashMap<>();

	/** A script was refused. Says so once. */
	void refused(Partition partition, String said) {
		if (this.foreign.put(partition, said) == null) {
			logger.warn("Partition " + partition + " is left alone: another version of this library has laid out its"
					+ " keys (" + said + "). This process sweeps, handles, settles and repairs nothing of it until"
					+ " that changes; stop it once processes of the other version run");
		}
	}

	/** A script that looks was not refused. */
	void accepted(Partition partition) {
		if (!this.foreign.isEmpty() && this.foreign.remove(partition) != null) {
			logger.info("The keys of partition " + partition + " are laid out as this version knows them; it goes on");
		}
	}

	boolean isForeign(Partition partition) {
		return this.foreign.containsKey(partition);
	}

	/** What was said of each partition that is left alone. */
	Map<Partition, String> foreign() {
		return Map.copyOf(this.foreign);
	}

}
