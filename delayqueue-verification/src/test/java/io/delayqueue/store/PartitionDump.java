package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import io.delayqueue.queue.Partition;
import io.delayqueue.test.redis.RespClient;

/**
 * The whole content of Redis under one key prefix, read at one instant, as a comparable
 * value.
 *
 * @param messages id to record
 * @param scheduled id to due time
 * @param stream the ready and pending entries
 * @param entries id to entry
 * @param failures id to its failures
 * @param dead id to time of dead-lettering
 * @param done finished ids and tombstones to the end of their window
 * @param expiries id to expiry, in the form of a Redis reply
 * @param groups the keys of the groups
 * @param control layout and switches
 * @param holds group to hold
 * @param otherKeys every other key, with its type
 */
record PartitionDump(SortedMap<String, String> messages, SortedMap<String, Long> scheduled, StreamDump stream,
		SortedMap<String, String> entries, SortedMap<String, String> failures, SortedMap<String, Long> dead,
		SortedMap<String, Long> done, SortedMap<String, String> expiries, GroupDump groups,
		SortedMap<String, String> control, SortedMap<String, String> holds, SortedMap<String, String> otherKeys) {

	private static final String SCRIPT = """
			local all = {}
			for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
			  local type = redis.call('TYPE', key).ok
			  local value, groups, pending = {}, {}, {}
			  if type == 'hash' then
			    value = redis.call('HGETALL', key)
			  elseif type == 'zset' then
			    value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
			  elseif type == 'stream' then
			    value = redis.call('XRANGE', key, '-', '+')
			    groups = redis.call('XINFO', 'GROUPS', key)
			    for _, group in ipairs(groups) do
			      pending = redis.call('XPENDING', key, group[2], '-', '+', 100000)
			    end
			  end
			  all[#all + 1] = {key, type, value, groups, pending}
			end
			return all
			""";

	static PartitionDump of(RespClient redis, KeySpace keySpace, Partition partition) {
		Map<String, List<?>> found = new TreeMap<>();
		String prefix = keySpace.queues().replace("queues", "");
		for (Object key : list(redis.call("EVAL", SCRIPT, "0", prefix + "*"))) {
			found.put(String.valueOf(list(key).get(0)), list(key));
		}
		PartitionDump dump = new PartitionDump(map(take(found, keySpace, partition, Key.MESSAGES)),
				scores(take(found, keySpace, partition, Key.SCHEDULED)),
				StreamDump.of(take(found, keySpace, partition, Key.READY)),
				map(take(found, keySpace, partition, Key.ENTRIES)), map(take(found, keySpace, partition, Key.FAILURES)),
				scores(take(found, keySpace, partition, Key.DEAD)), scores(take(found, keySpace, partition, Key.DONE)),
				map(take(found, keySpace, partition, Key.EXPIRIES)),
				new GroupDump(map(take(found, keySpace, partition, Key.GROUPED)),
						members(take(found, keySpace, partition, Key.GROUPS)),
						members(take(found, keySpace, partition, Key.ACTIVE)),
						members(take(found, keySpace, partition, Key.PARKED))),
				map(take(found, keySpace, partition, Key.CONTROL)), map(take(found, keySpace, partition, Key.HOLDS)),
				new TreeMap<>());
		// Only rate limits and holds of groups use them
		take(found, keySpace, partition, Key.RATES);
		take(found, keySpace, partition, Key.THROTTLED);
		found.forEach((name, key) -> dump.otherKeys.put(name, key.get(1) + " " + key.get(2)));
		return dump;
	}

	/** The ids in any key. */
	SortedSet<String> ids() {
		SortedSet<String> ids = new TreeSet<>(this.messages.keySet());
		ids.addAll(this.scheduled.keySet());
		ids.addAll(this.entries.keySet());
		ids.addAll(this.failures.keySet());
		ids.addAll(this.dead.keySet());
		ids.addAll(this.expiries.keySet());
		ids.addAll(this.groups.ids());
		return ids;
	}

	/** The id in the form that Redis stores; without its group it must be unique. */
	String stored(String id) {
		SortedSet<String> ids = ids();
		return ids.contains(id) ? id : ids.stream().filter((one) -> one.startsWith(id + "\1")).findFirst().orElse(id);
	}

	/** The states of an id; a message has exactly one. */
	List<Key> locations(String any) {
		String id = stored(any);
		List<Key> locations = new ArrayList<>();
		if (this.scheduled.containsKey(id)) {
			locations.add(Key.SCHEDULED);
		}
		if (this.groups.isParked(id)) {
			locations.add(Key.PARKED);
		}
		if (this.dead.containsKey(id)) {
			locations.add(Key.DEAD);
		}
		String entry = this.entries.get(id);
		if (entry != null && this.stream.isListed(entry) && id.equals(this.stream.entries().get(entry))) {
			locations.add(Key.ENTRIES);
		}
		return locations;
	}

	/** Without the times of dead letters and windows, which depend on the clock. */
	PartitionDump withoutTimes() {
		return new PartitionDump(new TreeMap<>(this.messages), this.scheduled, this.stream, this.entries, this.failures,
				withoutTimes(this.dead), withoutTimes(this.done), this.expiries, this.groups, this.control, this.holds,
				this.otherKeys);
	}

	private static SortedMap<String, Long> withoutTimes(SortedMap<String, Long> scores) {
		SortedMap<String, Long> without = new TreeMap<>(scores);
		without.replaceAll((member, score) -> 0L);
		return without;
	}

	/** The content without the entries of the stream. */
	PartitionDump withoutStream() {
		return new PartitionDump(this.messages, this.scheduled, StreamDump.of(List.of()), this.entries, this.failures,
				this.dead, this.done, this.expiries, this.groups, this.control, this.holds, this.otherKeys);
	}

	private static List<?> take(Map<String, List<?>> found, KeySpace keySpace, Partition partition, Key key) {
		List<?> value = found.get(keySpace.name(partition, key));
		if (value == null || !value.get(1).equals(key.type())) {
			return List.of();
		}
		found.remove(keySpace.name(partition, key));
		return value;
	}

	private static SortedMap<String, String> map(List<?> key) {
		SortedMap<String, String> map = new TreeMap<>();
		List<?> pairs = key.isEmpty() ? key : list(key.get(2));
		for (int i = 0; i < pairs.size(); i += 2) {
			map.put(String.valueOf(pairs.get(i)), String.valueOf(pairs.get(i + 1)));
		}
		return Collections.unmodifiableSortedMap(map);
	}

	/** The members of a set that is ordered by its members: all scores are 0. */
	private static SortedSet<String> members(List<?> key) {
		SortedSet<String> members = new TreeSet<>();
		map(key).forEach((member, score) -> members.add(score.equals("0") ? member : member + " at " + score));
		return members;
	}

	private static SortedMap<String, Long> scores(List<?> key) {
		SortedMap<String, Long> scores = new TreeMap<>();
		map(key).forEach((member, score) -> scores.put(member, (long) Double.parseDouble(score)));
		return Collections.unmodifiableSortedMap(scores);
	}

	static List<?> list(Object value) {
		return (List<?>) value;
	}

}
