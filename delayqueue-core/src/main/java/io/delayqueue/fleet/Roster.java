package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Members;
import io.delayqueue.store.Members.Member;
import io.delayqueue.store.Members.Refreshed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the list of members (consuming processes), and the estimate of the clock of
 * Redis by which members take turns to sweep. Immutable.
 */
public final class Roster {

	private static final Log logger = LogFactory.getLog(Roster.class);

	static final Roster UNKNOWN = new Roster("", "", List.of(), new ConcurrentHashMap<>(), 0, System.nanoTime());

	/** The tolerated difference between two members' estimates of the clock of Redis. */
	static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long TURN_MICROS = TimeUnit.SECONDS.toMicros(1);

	/** The name of this process, which need not be a member. */
	private final String own;

	private final String version;

	private final List<Member> members;

	/** The orders of those partitions that this process consumes, as far as computed. */
	private final Map<Partition, List<String>> orders;

	private final long redisMicros;

	private final long atNanos;

	Roster(String own, Refreshed refreshed, List<Member> members, long askedNanos) {
		this(own, refreshed.version(), members.stream().sorted(Comparator.comparing(Member::name)).toList(),
				new ConcurrentHashMap<>(), refreshed.nowMicros(), middle(askedNanos));
	}

	private Roster(String own, String version, List<Member> members, Map<Partition, List<String>> orders,
			long redisMicros, long atNanos) {
		this.own = own;
		this.version = version;
		this.members = members;
		this.orders = orders;
		this.redisMicros = redisMicros;
		this.atNanos = atNanos;
	}

	/**
	 * Reads the list of members from Redis.
	 * @return the list, without members if Redis does not answer
	 */
	static Roster read(Members members) {
		try {
			long asked = System.nanoTime();
			Refreshed read = members.list(UNKNOWN.version);
			return new Roster(members.own(), read, Objects.requireNonNull(read.members()), asked);
		}
		catch (StoreException failure) {
			logger.debug("The list of members could not be read", failure);
			return UNKNOWN;
		}
	}

	/**
	 * Returns the same list of members, with the given time as the time at which Redis
	 * last confirmed the list.
	 */
	Roster at(long redisMicros, long askedNanos) {
		return new Roster(this.own, this.version, this.members, this.orders, redisMicros, middle(askedNanos));
	}

	private static long middle(long askedNanos) {
		return askedNanos + (System.nanoTime() - askedNanos) / 2;
	}

	String version() {
		return this.version;
	}

	/**
	 * {@return the members of the list, sorted by name}
	 */
	public List<Member> members() {
		return this.members;
	}

	/**
	 * Returns the members that consume a queue.
	 * @param queue the queue
	 * @return the names of the members, sorted
	 */
	public List<String> consuming(String queue) {
		return this.members.stream().filter((member) -> member.queues().containsKey(queue)).map(Member::name).toList();
	}

	/**
	 * Whether the list of members has been read from Redis.
	 * @return {@code false} if the members are unknown
	 */
	public boolean isKnown() {
		return !this.version.isEmpty();
	}

	boolean contains(String name) {
		return this.members.stream().anyMatch((member) -> member.name().equals(name));
	}

	/** Returns the time since Redis returned or confirmed the list of members, ns. */
	long ageNanos() {
		return System.nanoTime() - this.atNanos;
	}

	/**
	 * Returns the members that consume a partition, in an order that every process
	 * computes in the same way: the owner, its standby, then the other members.
	 * @param partition the partition
	 * @return the names of the members
	 */
	public List<String> order(Partition partition) {
		List<String> known = this.orders.get(partition);
		if (known != null) {
			return known;
		}
		List<String> order = this.members.stream()
			.filter((member) -> member.consumes(partition))
			.map(Member::name)
			.sorted(Comparator.comparingLong((name) -> mix(name, partition)))
			.toList();
		// A process that only schedules may use any number of partitions
		if (order.contains(this.own)) {
			this.orders.put(partition, order);
		}
		return order;
	}

	/**
	 * Counts, for each member, the partitions of all queues that the member owns
	 * (maintains).
	 * @return the number of partitions by the name of their owner; without members that
	 * own no partition
	 */
	public Map<String, Long> owned() {
		return this.members.stream()
			.flatMap((member) -> member.queues().values().stream())
			.flatMap((epochs) -> epochs.partitions().stream())
			.distinct()
			.map((partition) -> order(partition).get(0))
			.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
	}

	/**
	 * Returns a hash of which all bits depend on all characters of the name and the
	 * partition.
	 */
	private static long mix(String name, Partition partition) {
		long hash = 0;
		String text = name + ' ' + partition;
		for (int i = 0; i < text.length(); i++) {
			hash = (hash + text.charAt(i)) * 0x9E3779B97F4A7C15L;
			hash ^= hash >>> 32;
		}
		return hash;
	}

	/**
	 * Returns the member whose turn to sweep a partition it will be in {@code inNanos}
	 * ns; {@code null} if no member consumes the partition.
	 */
	@Nullable String turnAt(Partition partition, long inNanos) {
		List<String> order = order(partition);
		if (order.isEmpty()) {
			return null;
		}
		long turn = Math.floorDiv(redisMicrosIn(inNanos), TURN_MICROS);
		return order.get(Math.floorMod(turn, order.size()));
	}

	/** Returns the time until the turns to sweep change in all partitions, ns. */
	long turnLeftNanos() {
		return TimeUnit.MICROSECONDS.toNanos(TURN_MICROS - Math.floorMod(redisMicrosIn(0), TURN_MICROS));
	}

	/**
	 * Returns a time limit, ns: the sweeping member needs a hint about a message that
	 * becomes due within this time. Shortly before the turns change, the limit includes
	 * the next turn, which may already have begun by the clock of the next member.
	 */
	long hintedNanos() {
		long left = turnLeftNanos();
		return (left < MARGIN_NANOS) ? left + TimeUnit.MICROSECONDS.toNanos(TURN_MICROS) : left;
	}

	private long redisMicrosIn(long nanos) {
		return this.redisMicros + TimeUnit.NANOSECONDS.toMicros(ageNanos() + nanos);
	}

	/** Describes which members have joined or left the list; empty if no member has. */
	String changeSince(Roster before) {
		Set<String> joined = names();
		joined.removeAll(before.names());
		Set<String> left = before.names();
		left.removeAll(names());
		List<String> changes = new ArrayList<>();
		if (!joined.isEmpty()) {
			changes.add("joined " + joined);
		}
		if (!left.isEmpty()) {
			changes.add("left " + left);
		}
		return changes.isEmpty() ? "" : this.members.size() + " now; " + String.join(", ", changes);
	}

	private Set<String> names() {
		return this.members.stream().map(Member::name).collect(Collectors.toCollection(TreeSet::new));
	}

}
