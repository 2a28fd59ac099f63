package io.delayqueue.fleet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.Members.Member;
import io.delayqueue.store.Members.Refreshed;
import io.delayqueue.store.Partition;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The processes that consume queues, and which of them works on a partition now. Each
 * process that sweeps is a member: it refreshes itself in Redis every two seconds, from
 * its first consumer on. This saves work and decides nothing else: every script allows
 * that several processes work on a partition, or none for a while.
 * <ul>
 * <li>The <em>turn</em> to sweep a partition goes round the members that consume its
 * queue, second by second by the clock of Redis, in an order that differs between
 * partitions.</li>
 * <li>The <em>owner</em> is the first one in that order. It reclaims, audits and repairs.
 * The second one is its <em>standby</em>: it becomes the owner when the owner is no
 * member any more.</li>
 * </ul>
 * A process that has never seen the list, or is not in it, takes every turn. Safe for use
 * by several threads.
 */
public final class Fleet implements Signals.QueueListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(Fleet.class);

	private static final Duration REFRESH = Duration.ofSeconds(2);

	/** Many processes get a hint at once, and many join at once. */
	private static final Duration HINT_SPREAD = Duration.ofMillis(100);

	private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final String name = ProcessName.next();

	private final boolean sweeping;

	private final Members members;

	private final HintChannel hints;

	private final RedisGate gate;

	private final TurnThreads threads;

	private final RecurringTurn refresh;

	private final ConcurrentSkipListMap<String, Integer> queues = new ConcurrentSkipListMap<>();

	private volatile Roster roster = Roster.UNKNOWN;

	/**
	 * Creates the fleet without a member.
	 * @param sweeping whether this process sweeps what it consumes
	 * @param members the list in Redis
	 * @param hints the channel to the other processes
	 * @param signals the wake-ups of this process
	 * @param gate the gate to Redis
	 * @param loops the registry of background activities
	 */
	public Fleet(boolean sweeping, Members members, HintChannel hints, Signals signals, RedisGate gate,
			LoopRegistry loops) {
		this.sweeping = sweeping;
		this.members = members;
		this.hints = hints;
		this.gate = gate;
		this.threads = new TurnThreads("delayqueue-member", 1, loops);
		this.refresh = this.threads.turn("The refresh of the membership", this::refresh);
		signals.register(this);
		gate.onOpen(() -> this.refresh.dueIn(0));
	}

	@Override
	public void consuming(String queue, int partitions) {
		this.queues.put(queue, partitions);
		refreshIn(SOON_NANOS);
	}

	@Override
	public void notConsuming(String queue) {
		this.queues.remove(queue);
		refreshIn(SOON_NANOS);
	}

	/** The list may have changed. */
	void membersChanged() {
		refreshIn(ThreadLocalRandom.current().nextLong(HINT_SPREAD.toNanos()));
	}

	private void refreshIn(long nanos) {
		if (this.sweeping) {
			this.refresh.dueIn(nanos);
		}
	}

	private long refresh() {
		return this.gate.turn(() -> {
			SortedMap<String, Integer> consumed = new TreeMap<>(this.queues);
			if (consumed.isEmpty()) {
				leave();
				return Signals.LONGEST_QUIET.toNanos();
			}
			long asked = System.nanoTime();
			Refreshed refreshed = this.members.refresh(this.name, consumed, this.roster.version());
			accept(refreshed, asked);
			if (refreshed.changed()) {
				this.hints.publishMembersChanged();
			}
			return REFRESH.toNanos() - ThreadLocalRandom.current().nextLong(REFRESH.toNanos() / 8);
		}, REFRESH::toNanos);
	}

	private void leave() {
		if (this.roster.contains(this.name)) {
			accept(this.members.leave(this.name), System.nanoTime());
			this.hints.publishMembersChanged();
		}
	}

	/**
	 * Reads the list for a process that is no member, at most once in two seconds.
	 */
	void look() {
		Roster seen = this.roster;
		if (this.queues.isEmpty() && (!seen.isKnown() || seen.ageNanos() > REFRESH.toNanos())) {
			long asked = System.nanoTime();
			accept(this.members.list(seen.version()), asked);
		}
	}

	private synchronized void accept(Refreshed refreshed, long askedNanos) {
		Roster before = this.roster;
		List<Member> listed = refreshed.members();
		this.roster = (listed != null) ? new Roster(refreshed, listed, askedNanos)
				: before.at(refreshed.nowMicros(), askedNanos);
		String change = this.roster.changeSince(before);
		if (!change.isEmpty() && !this.queues.isEmpty()) {
			logger.info("Process '" + this.name + "' has read a new list of members: " + change);
		}
	}

	/**
	 * The name of this process among the members.
	 * @return host, process id and a random number
	 */
	public String member() {
		return this.name;
	}

	/**
	 * The members that consume a partition, in the order of their turns: the owner, its
	 * standby, then the others.
	 * @param partition the partition
	 * @return their names
	 */
	public List<String> order(Partition partition) {
		return this.roster.order(partition);
	}

	/**
	 * The members for a report. A process that is not in the list reads it from Redis,
	 * because its own copy may be outdated.
	 * @return the members, none if Redis does not answer
	 */
	public Roster roster() {
		Roster seen = this.roster;
		return seen.contains(this.name) ? seen : Roster.read(this.members);
	}

	/**
	 * How many partitions of a queue this process reclaims, audits and repairs. Does not
	 * call Redis.
	 * @param queue the queue
	 * @return 0 if this process does not consume the queue
	 */
	public int owned(String queue) {
		return (int) IntStream.range(0, this.queues.getOrDefault(queue, 0))
			.filter((number) -> isOwner(new Partition(queue, number)))
			.count();
	}

	/**
	 * Whether this process sweeps what it consumes.
	 * @return {@code false} if that is switched off
	 */
	public boolean isSweeping() {
		return this.sweeping;
	}

	/**
	 * Whether this process sweeps the partition now.
	 * @param partition a partition that this process consumes
	 * @return {@code false} if it is the turn of another member
	 */
	public boolean hasTurn(Partition partition) {
		return this.sweeping && isMine(partition, this.roster.turnAt(partition, 0));
	}

	/**
	 * Whether this process reclaims, audits and repairs the partition.
	 * @param partition a partition that this process consumes
	 * @return {@code false} if another member does
	 */
	public boolean isOwner(Partition partition) {
		List<String> order = order(partition);
		return isMine(partition, order.isEmpty() ? null : order.get(0));
	}

	private boolean isMine(Partition partition, @Nullable String member) {
		return member == null || member.equals(this.name) || !order(partition).contains(this.name);
	}

	/**
	 * When partitions are to be checked again: after the interval, or when turns change.
	 * @param partitions the partitions
	 * @param intervalNanos the interval, ns
	 * @return the time from now, ns
	 */
	public long nextCheckNanos(Collection<Partition> partitions, long intervalNanos) {
		Roster seen = this.roster;
		if (partitions.stream().noneMatch((partition) -> seen.order(partition).size() > 1)) {
			return intervalNanos;
		}
		// No check shortly before the turns change
		long left = seen.turnLeftNanos();
		return (left / 5 * 4 < intervalNanos) ? left : intervalNanos;
	}

	/**
	 * The member that sweeps a message when it is due, if it needs a hint: a member whose
	 * turn begins later finds the message then.
	 * @param partition the partition
	 * @param inNanos the time until the message is due
	 * @return the name of a member, empty if none needs a hint, {@code null} if no member
	 * is known
	 */
	@Nullable String memberToHint(Partition partition, long inNanos) {
		Roster seen = this.roster;
		boolean isFoundLater = seen.order(partition).size() > 1 && inNanos > seen.hintedNanos();
		return isFoundLater ? "" : seen.turnAt(partition, inNanos);
	}

	/**
	 * The other members that consume a partition, beginning with the one whose turn
	 * follows.
	 */
	List<String> others(Partition partition) {
		List<String> order = order(partition);
		int own = order.indexOf(this.name);
		List<String> others = new ArrayList<>(order.subList(own + 1, order.size()));
		others.addAll(order.subList(0, Math.max(0, own)));
		return others;
	}

	/** Ends the membership, so that other members take over at once. */
	public void stop() {
		this.queues.clear();
		if (this.gate.isOpen()) {
			try {
				leave();
			}
			catch (StoreException failure) {
				logger.debug("Could not leave the list of members, which will drop this process after "
						+ Members.TIME_TO_LIVE, failure);
			}
		}
	}

	@Override
	public void close() {
		this.threads.close();
	}

}
