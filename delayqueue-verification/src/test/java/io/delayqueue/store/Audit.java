package io.delayqueue.store;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.record.MessageRecord;

/**
 * Finds inconsistencies in the keys of a partition.
 */
final class Audit {

	private final PartitionDump dump;

	private final List<String> faults = new ArrayList<>();

	private Audit(PartitionDump dump) {
		this.dump = dump;
	}

	/**
	 * Faults that not even a script that stopped half-way may leave: a message in no
	 * state or not in its group, a message that will be delivered before its due time, an
	 * entry that no consumer will get or settle.
	 */
	static List<String> invariant(PartitionDump dump, long nowMillis) {
		Audit audit = new Audit(dump);
		dump.messages().forEach((id, record) -> audit.message(id, MessageRecord.from(Reply.bytes(record)), nowMillis));
		dump.stream().entries().forEach((entry, id) -> {
			if (!dump.stream().isListed(entry)) {
				audit.faults.add("entry " + entry + " of " + id + " will never be delivered");
			}
		});
		dump.otherKeys().forEach((key, value) -> audit.faults.add("key " + key + " holds " + value));
		return audit.faults;
	}

	/**
	 * Faults that completed scripts may not leave.
	 * @param settledLater entries of messages that were cancelled or replaced while a
	 * consumer held them
	 */
	static List<String> order(PartitionDump dump, long nowMillis, Set<String> settledLater) {
		Audit audit = new Audit(dump);
		audit.faults.addAll(invariant(dump, nowMillis));
		audit.noRemains("scheduled", dump.scheduled());
		audit.noRemains("entries", dump.entries());
		audit.noRemains("failures", dump.failures());
		audit.noRemains("dead", dump.dead());
		audit.noRemains("expiries", dump.expiries());
		audit.noRemains("grouped", dump.groups().grouped());
		audit.groups();
		for (String id : dump.messages().keySet()) {
			if (dump.locations(id).size() > 1) {
				audit.faults.add("message " + id + " is in several states: " + dump.locations(id));
			}
		}
		Set<String> lookedAfter = new HashSet<>(settledLater);
		lookedAfter.addAll(dump.entries().values());
		Set<String> entries = new HashSet<>(dump.stream().entries().keySet());
		entries.addAll(dump.stream().pending().keySet());
		entries.stream()
			.filter((entry) -> !lookedAfter.contains(entry))
			.forEach((entry) -> audit.faults.add("entry " + entry + " belongs to no message"));
		dump.stream()
			.pending()
			.keySet()
			.stream()
			.filter((entry) -> !dump.stream().entries().containsKey(entry))
			.forEach((entry) -> audit.faults.add("entry " + entry + " is pending and gone"));
		return audit.faults;
	}

	private void message(String id, MessageRecord message, long nowMillis) {
		List<Key> locations = this.dump.locations(id);
		if (locations.isEmpty()) {
			this.faults.add("message " + id + " is in no state");
		}
		String group = message.envelope().group();
		if (group != null && (!this.dump.groups().groupOf(id).equals(group)
				|| !this.dump.groups().groups().contains(GroupDump.findingMember(id)))) {
			this.faults.add("message " + id + " is not in its group");
		}
		boolean isDue = message.dueMillis() <= nowMillis;
		if (!isDue && locations.contains(Key.SCHEDULED) && this.dump.scheduled().get(id) < message.dueMillis()) {
			this.faults.add("message " + id + " will be delivered at " + this.dump.scheduled().get(id)
					+ " but is due at " + message.dueMillis());
		}
		if (!isDue && locations.contains(Key.PARKED)) {
			this.faults.add("message " + id + " is parked but due at " + message.dueMillis());
		}
		if (!isDue && locations.contains(Key.ENTRIES)) {
			this.faults.add("message " + id + " is in the stream but due at " + message.dueMillis());
		}
	}

	/** The keys of the groups agree with the messages. */
	private void groups() {
		GroupDump groups = this.dump.groups();
		Set<String> members = new HashSet<>();
		Set<String> parked = new HashSet<>();
		Set<String> active = new HashSet<>();
		groups.grouped().keySet().forEach((id) -> {
			String member = groups.memberOf(id);
			members.add(GroupDump.findingMember(id));
			// Whether a dead letter counts depends on the queue's settings
			if (!this.dump.dead().containsKey(id) || groups.groups().contains(member)) {
				members.add(member);
			}
			if (this.dump.dead().containsKey(id) && !this.dump.scheduled().containsKey(id)) {
				members.add(GroupDump.deadMember(groups.groupOf(id), id));
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
			if (!Objects.equals(about, groups.grouped().get(id))
					|| !Objects.equals(group, StoredId.from(Reply.bytes(id)).group())) {
				this.faults.add("message " + id + " of group " + group + " is stored as " + groups.grouped().get(id));
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

	private void noRemains(String key, Map<String, ?> ids) {
		ids.keySet()
			.stream()
			.filter((id) -> !this.dump.messages().containsKey(id))
			.forEach((id) -> this.faults.add(key + " contains " + id + ", which has no record"));
	}

}
