package io.delayqueue.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The content of the stream of a partition.
 *
 * @param entries entry to the id that it carries, in the order of the stream
 * @param pending entry to the consumer that holds it; such an entry may be deleted from
 * the stream
 * @param groups the names of the consumer groups
 * @param lastDelivered the last entry that was delivered
 */
record StreamDump(Map<String, String> entries, Map<String, String> pending, List<String> groups, String lastDelivered) {

	static StreamDump of(List<?> key) {
		Map<String, String> entries = new LinkedHashMap<>();
		Map<String, String> pending = new TreeMap<>();
		List<String> groups = new ArrayList<>();
		String lastDelivered = "0-0";
		if (!key.isEmpty()) {
			for (Object entry : PartitionDump.list(key.get(2))) {
				List<?> fields = PartitionDump.list(PartitionDump.list(entry).get(1));
				entries.put(text(entry, 0), text(fields, 1));
			}
			for (Object group : PartitionDump.list(key.get(3))) {
				groups.add(text(group, 1));
				lastDelivered = text(group, PartitionDump.list(group).indexOf("last-delivered-id") + 1);
			}
			for (Object lease : PartitionDump.list(key.get(4))) {
				pending.put(text(lease, 0), text(lease, 1));
			}
		}
		return new StreamDump(entries, pending, groups, lastDelivered);
	}

	/** The undelivered entries, in their order. */
	List<String> undelivered() {
		return this.entries.keySet().stream().filter(this::isUndelivered).toList();
	}

	/** Whether the entry is in the stream, and will be delivered or is pending. */
	boolean isListed(String entry) {
		return this.entries.containsKey(entry) && (this.pending.containsKey(entry) || isUndelivered(entry));
	}

	private boolean isUndelivered(String entry) {
		return !this.pending.containsKey(entry) && compare(entry, this.lastDelivered) > 0;
	}

	/** Compares two entries by their order in a stream. */
	static int compare(String entry, String other) {
		String[] parts = entry.split("-");
		String[] otherParts = other.split("-");
		int byTime = Long.compare(Long.parseLong(parts[0]), Long.parseLong(otherParts[0]));
		return (byTime != 0) ? byTime : Long.compare(Long.parseLong(parts[1]), Long.parseLong(otherParts[1]));
	}

	private static String text(Object list, int index) {
		return String.valueOf(PartitionDump.list(list).get(index));
	}

}
