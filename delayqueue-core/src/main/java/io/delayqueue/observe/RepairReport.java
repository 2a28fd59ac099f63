package io.delayqueue.observe;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.queue.Partition;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Repaired;
import io.delayqueue.store.StoredId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Report of the messages that one repair of a partition has repaired. Notifies the
 * observer of each page immediately, and logs the number of messages and the first 10 ids
 * when the repair ends. Not safe for use by several threads.
 */
public final class RepairReport {

	private static final Log logger = LogFactory.getLog(RepairReport.class);

	private static final int IDS = 10;

	private final Partition partition;

	private final Map<Damage, Tally> tallies = new EnumMap<>(Damage.class);

	/**
	 * Creates an empty report.
	 * @param partition the partition under repair
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
	 * Adds the repaired messages of one page of ids.
	 * @param page the repaired messages
	 * @param observer is notified of the repaired messages
	 * @return whether a repaired message may be due
	 */
	public boolean add(List<Repaired> page, QueueObserver observer) {
		Map<Damage, List<StoredId>> found = new EnumMap<>(Damage.class);
		for (Repaired repaired : page) {
			found.computeIfAbsent(repaired.damage(), (damage) -> new ArrayList<>()).add(repaired.id());
			Tally tally = this.tallies.computeIfAbsent(repaired.damage(), (damage) -> new Tally());
			tally.count++;
			if (tally.ids.size() < IDS) {
				tally.ids.add(repaired.id().toString());
			}
		}
		found.forEach((damage, ids) -> observer.repaired(this.partition.queue(), damage, ids));
		return found.containsKey(Damage.NO_PLACE);
	}

	/**
	 * Logs the repaired messages, and clears the report.
	 * @return whether the report had any repaired messages
	 */
	public boolean log() {
		boolean any = !this.tallies.isEmpty();
		this.tallies.forEach(this::log);
		this.tallies.clear();
		return any;
	}

	private void log(Damage damage, Tally tally) {
		String found = "Partition " + this.partition + " was damaged: " + tally.count + " messages ";
		switch (damage) {
			case NO_PLACE ->
				logger.warn(found + "had only a record; they are scheduled for their due times again: " + tally);
			case TWO_PLACES -> logger.warn(found + "were in two locations; they are now in one: " + tally);
			case EARLY -> logger.warn(found
					+ "would have been delivered before their due times; they are now scheduled for their due times: "
					+ tally);
			case LEFT_OVER ->
				logger.warn(found + "had obsolete data in Redis; the repair has removed these data: " + tally);
			case LOST -> logger.error(
					found + "are lost: their records were removed from Redis, so they cannot be delivered: " + tally);
		}
	}

}
