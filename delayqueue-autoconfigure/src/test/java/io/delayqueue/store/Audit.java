package io.delayqueue.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds what must not be in a partition.
 */
final class Audit {

	private final PartitionDump dump;

	private final List<String> faults = new ArrayList<>();

	private Audit(PartitionDump dump) {
		this.dump = dump;
	}

	/**
	 * What not even a script that stopped half-way may leave: a message without a place,
	 * one that will be delivered before its due time, an entry that nobody will deliver
	 * or settle.
	 */
	static List<String> invariant(PartitionDump dump, long nowMillis) {
		Audit audit = new Audit(dump);
		dump.messages().forEach((id, record) -> audit.message(id, MessageRecord.from(Reply.bytes(record)), nowMillis));
		dump.stream().entries().forEach((entry, id) -> {
			if (!dump.stream().isListed(entry)) {
				audit.faults.add("entry " + entry + " of " + id + " will never be delivered");
			}
		});
		dump.others().forEach((key, value) -> audit.faults.add("key " + key + " holds " + value));
		return audit.faults;
	}

	/**
	 * What scripts that ran to their end may not leave either.
	 * @param settledLater entries of messages that were cancelled or replaced while a
	 * consumer had them
	 */
	static List<String> order(PartitionDump dump, long nowMillis, Set<String> settledLater) {
		Audit audit = new Audit(dump);
		audit.faults.addAll(invariant(dump, nowMillis));
		audit.noTrace("scheduled", dump.scheduled());
		audit.noTrace("entries", dump.entries());
		audit.noTrace("failures", dump.failures());
		audit.noTrace("dead", dump.dead());
		for (String id : dump.messages().keySet()) {
			if (dump.places(id).size() > 1) {
				audit.faults.add("message " + id + " is in several places: " + dump.places(id));
			}
		}
		Set<String> lookedAfter = new HashSet<>(settledLater);
		lookedAfter.addAll(dump.entries().values());
		Set<String> entries = new HashSet<>(dump.stream().entries().keySet());
		entries.addAll(dump.stream().pending().keySet());
		entries.stream()
			.filter((entry) -> !lookedAfter.contains(entry))
			.forEach((entry) -> audit.faults.add("entry " + entry + " is nobody's"));
		dump.stream()
			.pending()
			.keySet()
			.stream()
			.filter((entry) -> !dump.stream().entries().containsKey(entry))
			.forEach((entry) -> audit.faults.add("entry " + entry + " is pending and gone"));
		return audit.faults;
	}

	private void message(String id, MessageRecord message, long nowMillis) {
		List<Key> places = this.dump.places(id);
		if (places.isEmpty()) {
			this.faults.add("message " + id + " is in no place");
		}
		boolean isDue = message.dueMillis() <= nowMillis;
		if (!isDue && places.contains(Key.SCHEDULED) && this.dump.scheduled().get(id) < message.dueMillis()) {
			this.faults.add("message " + id + " will be delivered at " + this.dump.scheduled().get(id)
					+ " but is due at " + message.dueMillis());
		}
		if (!isDue && places.contains(Key.ENTRIES)) {
			this.faults.add("message " + id + " is in the stream but due at " + message.dueMillis());
		}
	}

	private void noTrace(String place, Map<String, ?> ids) {
		ids.keySet()
			.stream()
			.filter((id) -> !this.dump.messages().containsKey(id))
			.forEach((id) -> this.faults.add(place + " knows " + id + ", which has no record"));
	}

}
