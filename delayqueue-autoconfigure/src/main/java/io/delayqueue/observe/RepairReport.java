package io.delayqueue.observe;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.store.Partition;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Repaired;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What a pass of repair has put right: counted at once, and told in the log when the pass
 * ends, by count and the first 10 ids. For one thread.
 */
public final class RepairReport {

	private static final Log logger = LogFactory.getLog(RepairReport.class);

	private static final int IDS = 10;

	private final Partition partition;

	private final Map<Damage, Tally> tallies = new EnumMap<>(Damage.class);

	/**
	 * Creates an empty report.
	 * @param partition the partition that is repaired
	 */
	public RepairReport(Partition partition) {
		this.partition = partition;
	}

	private static final class Tally {

		private int count;

		private final List<String> ids = new ArrayList<>();

		@Override
		public String toString() {
			String ids = String.join(", ", this.ids);
			return (this.count > this.ids.size()) ? ids + " and " + (this.count - this.ids.size()) + " more" : ids;
		}

	}

	/**
	 * Adds what a page came to.
	 * @param page what was put right
	 * @param observer is told of it
	 * @return whether a message may be due
	 */
	public boolean add(List<Repaired> page, QueueObserver observer) {
		Map<Damage, List<String>> found = new EnumMap<>(Damage.class);
		for (Repaired repaired : page) {
			found.computeIfAbsent(repaired.damage(), (damage) -> new ArrayList<>()).add(repaired.id());
			Tally tally = this.tallies.computeIfAbsent(repaired.damage(), (damage) -> new Tally());
			tally.count++;
			if (tally.ids.size() < IDS) {
				tally.ids.add(repaired.id());
			}
		}
		found.forEach((damage, ids) -> observer.repaired(this.partition.queue(), damage, ids));
		return found.containsKey(Damage.NO_PLACE);
	}

	/**
	 * Tells, and begins anew.
	 * @return whether there was anything to tell
	 */
	public boolean log() {
		boolean any = !this.tallies.isEmpty();
		this.tallies.forEach(this::log);
		this.tallies.clear();
		return any;
	}

	private void log(Damage damage, Tally tally) {
		String found = "Partition " + this.partition + " had been damaged: " + tally.count + " messages ";
		switch (damage) {
			case NO_PLACE -> logger
				.warn(found + "were nowhere but in the records; they are scheduled for their due times: " + tally);
			case TWO_PLACES -> logger.warn(found + "were in two places; they are in one: " + tally);
			case EARLY -> logger.warn(found + "were scheduled for before their due times; now for these: " + tally);
			case LEFT_OVER -> logger.warn(found + "had left something behind that means nothing; it is gone: " + tally);
			case LOST -> logger
				.error(found + "are lost: others have removed their records, so they cannot be delivered: " + tally);
		}
	}

}
