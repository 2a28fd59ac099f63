package io.delayqueue.store;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds the expected content of a partition, to compare with its dump.
 */
final class ExpectedDump {

	private final SortedMap<String, String> messages = new TreeMap<>();

	private final SortedMap<String, Long> scheduled = new TreeMap<>();

	private final SortedMap<String, String> entries = new TreeMap<>();

	private final SortedMap<String, String> failures = new TreeMap<>();

	private final SortedMap<String, Long> dead = new TreeMap<>();

	private final SortedMap<String, Long> done = new TreeMap<>();

	private final SortedMap<String, String> expiries = new TreeMap<>();

	private final GroupDump grouping = new GroupDump();

	/** The ids of messages with a group, in the form that Redis stores. */
	private final Map<String, String> names = new HashMap<>();

	private final SortedMap<String, String> control = new TreeMap<>(
			Map.of("layout", TestStore.LAYOUT, "partitions", Integer.toString(TestStore.PARTITIONS)));

	private final SortedMap<String, String> holds = new TreeMap<>();

	private final Map<String, String> stream = new LinkedHashMap<>();

	private final Map<String, String> pending = new TreeMap<>();

	private List<String> groups = List.of();

	private String lastDelivered = "0-0";

	/**
	 * The record of {@link TestMessages#message(String, long, int)}.
	 */
	ExpectedDump message(String id, long dueMillis, int token) {
		return record(id, TestMessages.record(id, dueMillis, token));
	}

	/** A message's record as it is stored. */
	ExpectedDump record(String id, String record) {
		this.messages.put(id, record);
		return this;
	}

	ExpectedDump scheduled(String id, long dueMillis) {
		this.scheduled.put(id, dueMillis);
		return this;
	}

	/** The current entry of a message, in the stream. */
	ExpectedDump ready(String id, String entry) {
		this.entries.put(id, entry);
		this.stream.put(entry, id);
		return this;
	}

	/** The current entry of a message, with a consumer. */
	ExpectedDump pending(String id, String entry, String consumer) {
		this.entries.put(id, entry);
		return supersededPending(id, entry, consumer);
	}

	/** An entry with a consumer, whose message is gone or has another entry. */
	ExpectedDump supersededPending(String id, String entry, String consumer) {
		this.stream.put(entry, id);
		this.pending.put(entry, consumer);
		return delivered(entry);
	}

	/** The last delivered entry of the stream. */
	ExpectedDump delivered(String entry) {
		this.groups = List.of(KeySpace.GROUP);
		this.lastDelivered = entry;
		return this;
	}

	ExpectedDump failures(String id, String failures) {
		this.failures.put(id, failures);
		return this;
	}

	ExpectedDump dead(String id, long millis) {
		this.dead.put(id, millis);
		return this;
	}

	ExpectedDump done(String member, long millis) {
		this.done.put(member, millis);
		return this;
	}

	/** The expiry in the form of a Redis reply. */
	ExpectedDump expiry(String id, String expiry) {
		this.expiries.put(id, expiry);
		return this;
	}

	/** A message of a group, with its slot in the quota. */
	ExpectedDump grouped(String id, long dueMillis, String group) {
		this.grouping.groups().add(GroupDump.member(group, dueMillis, id));
		return groupedWithoutSlot(id, dueMillis, group);
	}

	/** A message of a group, without a slot in the quota. */
	ExpectedDump groupedWithoutSlot(String id, long dueMillis, String group) {
		String name = GroupDump.stored(id, group);
		this.names.put(id, name);
		this.grouping.grouped().put(name, GroupDump.about(group, dueMillis));
		this.grouping.groups().add(GroupDump.findingMember(name));
		return this;
	}

	/** Ready or pending, or keeps its active slot. */
	ExpectedDump active(String id, String group) {
		this.grouping.active().add(GroupDump.activeMember(group, id));
		return this;
	}

	/** Due, and parked because its group is full. */
	ExpectedDump parked(String id, long dueMillis, String group) {
		this.grouping.parked().add(GroupDump.member(group, dueMillis, id));
		return this;
	}

	/** The content of control instead of the layout alone. */
	ExpectedDump control(Map<String, String> control) {
		this.control.clear();
		this.control.putAll(control);
		return this;
	}

	/** The hold of a group, or of the partition, which is the empty group. */
	ExpectedDump hold(String group, String hold) {
		this.holds.put(group, hold);
		return this;
	}

	PartitionDump build() {
		SortedMap<String, Long> dead = named(this.dead);
		dead.keySet()
			.stream()
			.filter(this.grouping.grouped()::containsKey)
			.forEach((id) -> this.grouping.groups().add(GroupDump.deadMember(this.grouping.groupOf(id), id)));
		Map<String, String> stream = new LinkedHashMap<>();
		this.stream.forEach((entry, id) -> stream.put(entry, this.names.getOrDefault(id, id)));
		return new PartitionDump(named(this.messages), named(this.scheduled),
				new StreamDump(stream, this.pending, this.groups, this.lastDelivered), named(this.entries),
				named(this.failures), dead, this.done, named(this.expiries), this.grouping, this.control, this.holds,
				new TreeMap<>());
	}

	private <T> SortedMap<String, T> named(Map<String, T> ids) {
		SortedMap<String, T> named = new TreeMap<>();
		ids.forEach((id, value) -> named.put(this.names.getOrDefault(id, id), value));
		return named;
	}

}
