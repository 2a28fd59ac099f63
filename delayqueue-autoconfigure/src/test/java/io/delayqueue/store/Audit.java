package io.delayqueue.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
		audit.noTrace("expiries", dump.expiries());
		audit.noTrace("grouped", dump.groups().grouped());
		audit.groups();
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
		if (!isDue && places.contains(Key.PARKED)) {
			this.faults.add("message " + id + " is parked but due at " + message.dueMillis());
		}
		if (!isDue && places.contains(Key.ENTRIES)) {
			this.faults.add("message " + id + " is in the stream but due at " + message.dueMillis());
		}
	}

	/** What stands in the keys of the groups is what the messages are. */
	private void groups() {
		GroupDump groups = this.dump.groups();
		Set<String> members = new HashSet<>();
		Set<String> parked = new HashSet<>();
		Set<String> active = new HashSet<>();
		groups.grouped().keySet().forEach((id) -> {
			String member = groups.memberOf(id);
			// Whether a dead letter counts is for its queue to say
			if (!this.dump.dead().containsKey(id) || groups.groups().contains(member)) {
				members.add(member);
			}
			if (groups.isParked(id)) {
				parked.add(member);
			}
			boolean runs = this.dump.entries().containsKey(id);
			if (runs || (groups.isActive(id) && this.dump.scheduled().containsKey(id))) {
				active.add(GroupDump.activeMember(groups.groupOf(id), id));
			}
		});
		this.dump.messages().forEach((id, record) -> {
			MessageRecord message = MessageRecord.from(Reply.bytes(record));
			String group = message.envelope().group();
			String about = (group != null) ? GroupDump.about(group, message.dueMillis()) : null;
			if (!Objects.equals(about, groups.grouped().get(id))) {
				this.faults.add("message " + id + " of group " + group + " is said to be " + groups.grouped().get(id));
			}
		});
		compare("groups", groups.groups(), members);
		compare("parked", groups.parked(), parked);
		compare("active", groups.active(), active);
	}

	private void compare(String key, Set<String> members, Set<String> rightful) {
		if (!members.equals(rightful)) {
			this.faults.add(key + " holds " + members + " but must hold " + rightful);
		}
	}

	private void noTrace(String place, Map<String, ?> ids) {
		ids.keySet()
			.stream()
			.filter((id) -> !this.dump.messages().containsKey(id))
			.forEach((id) -> this.faults.add(place + " knows " + id + ", which has no record"));
	}

}
