package io.delayqueue.store;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The content of the keys of the groups of a partition.
 *
 * @param grouped id to due time and group
 * @param groups the members of all groups
 * @param active the members that are ready or pending, or keep their active slot
 * @param parked the members that wait because their group is at its limit
 */
record GroupDump(SortedMap<String, String> grouped, SortedSet<String> groups, SortedSet<String> active,
		SortedSet<String> parked) {

	GroupDump() {
		this(new TreeMap<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
	}

	/** A member of groups and parked. */
	static String member(String group, long dueMillis, String id) {
		return "%s\0%016d\0%s".formatted(group, dueMillis, stored(id, group));
	}

	/** An id, which may have its group already, in the form that Redis stores. */
	static String stored(String id, String group) {
		return id.contains("\1") ? id : TestMessages.stored(id, group);
	}

	/** The member in groups by which calls without a group find a message. */
	static String findingMember(String id) {
		return "\1" + id;
	}

	/** The member in groups of a dead letter. */
	static String deadMember(String group, String id) {
		return group + "\2\0" + stored(id, group);
	}

	/** A member of active. */
	static String activeMember(String group, String id) {
		return group + "\0" + stored(id, group);
	}

	/** The value of an id in grouped. */
	static String about(String group, long dueMillis) {
		return "%016d\0%s".formatted(dueMillis, group);
	}

	/** The group of an id, empty if none. */
	String groupOf(String id) {
		String about = this.grouped.get(id);
		return (about != null) ? about.substring(17) : "";
	}

	/** The member of an id in groups and parked; the id must have a group. */
	String memberOf(String id) {
		return groupOf(id) + "\0" + this.grouped.get(id).substring(0, 16) + "\0" + id;
	}

	boolean isActive(String id) {
		return this.grouped.containsKey(id) && this.active.contains(activeMember(groupOf(id), id));
	}

	boolean isParked(String id) {
		return this.grouped.containsKey(id) && this.parked.contains(memberOf(id));
	}

	/** The ids in any of the keys. */
	SortedSet<String> ids() {
		SortedSet<String> ids = new TreeSet<>(this.grouped.keySet());
		for (SortedSet<String> members : List.of(this.groups, this.active, this.parked)) {
			members.forEach((member) -> ids.add(idOf(member)));
		}
		return ids;
	}

	static String idOf(String member) {
		return member.substring(member.startsWith("\1") ? 1 : member.lastIndexOf('\0') + 1);
	}

}
