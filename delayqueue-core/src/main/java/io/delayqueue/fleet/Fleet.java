package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import org.jspecify.annotations.Nullable;

/**
 * The processes that consume queues. This class determines which of the processes works
 * on a partition now. Each process that sweeps is a member: it refreshes its entry in the
 * list of members in Redis every 1.5 seconds, from the start of its first consumer on.
 * Turns and owners only save work: every script allows several processes to work on a
 * partition, or none for a while.
 * <ul>
 * <li>The <em>turn</em> to sweep a partition passes every second, by the clock of Redis,
 * to the next member that consumes the queue. The order of the members differs between
 * partitions.</li>
 * <li>The <em>owner</em> of a partition is the first member in this order. The owner
 * takes back messages of silent consumers, audits the partition and repairs it. The
 * second member in this order is the <em>standby</em> of the partition. The standby
 * becomes the owner when the owner is no longer in the list.</li>
 * </ul>
 * A sweeping process that has never read the list of members, or is not in the list,
 * takes every turn. Safe for use by several threads.
 */
public final class Fleet {

	private final String name;

	private final boolean sweeping;

	private final Members members;

	private final Membership membership;

	/**
	 * Creates the fleet; this process becomes a member when it consumes a queue.
	 * @param sweeping whether this process sweeps the queues that it consumes
	 * @param members the list of members in Redis
	 * @param directory the queues in Redis
	 * @param hints the channel to other processes
	 * @param signals the signals between actors of this process
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param tasks runs the refresh of the membership
	 */
	public Fleet(boolean sweeping, Members members, QueueDirectory directory, HintChannel hints, Signals signals,
			RedisGate gate, TaskPool tasks) {
		this.name = members.own();
		this.sweeping = sweeping;
		this.members = members;
		this.membership = new Membership(this.name, sweeping, members, directory, hints, signals, gate, tasks);
	}

	/**
	 * Returns the name of this process in the list of members.
	 * @return host, process id and a random number
	 */
	public String member() {
		return this.name;
	}

	/**
	 * Returns the members that consume a partition, in the order of their turns: the
	 * owner, its standby, then the other members.
	 * @param partition the partition
	 * @return the names of the members
	 */
	public List<String> order(Partition partition) {
		return current().order(partition);
	}

	/**
	 * Returns the list of members for a report. If this process's copy of the list does
	 * not contain this process, the method reads the list from Redis.
	 * @return the members, none if Redis does not answer
	 */
	public Roster roster() {
		Roster seen = current();
		return seen.contains(this.name) ? seen : Roster.read(this.members);
	}

	/**
	 * Counts the members that consume a queue. Does not call Redis.
	 * @param queue the queue
	 * @return the number of members, {@code null} if this process has not read the list
	 * of members in the last seconds
	 */
	public @Nullable Integer members(String queue) {
		Roster seen = current();
		boolean isRecent = seen.isKnown() && seen.ageNanos() <= Members.TIME_TO_LIVE.toNanos();
		return isRecent ? seen.consuming(queue).size() : null;
	}

	/**
	 * Counts the partitions of a queue that this process owns. Does not call Redis.
	 * @param queue the queue
	 * @return the number of partitions, 0 if this process does not consume the queue
	 */
	public int owned(String queue) {
		Epochs epochs = this.membership.epochs(queue);
		return (epochs != null) ? (int) epochs.partitions().stream().filter(this::isOwner).count() : 0;
	}

	/**
	 * Whether this process sweeps the queues that it consumes.
	 * @return {@code false} if sweeping is switched off in this process
	 */
	public boolean isSweeping() {
		return this.sweeping;
	}

	/**
	 * Whether this process sweeps the partition in the current second.
	 * @param partition a partition that this process consumes
	 * @return {@code false} if it is the turn of another member
	 */
	public boolean hasTurn(Partition partition) {
		return this.sweeping && isMine(partition, current().turnAt(partition, 0));
	}

	/**
	 * Whether this process sweeps a partition in which a message may be due. A process
	 * sweeps during its turn and shortly after the turn: a hint may arrive late, if the
	 * clock of the member that sends it differs from the clock of this process.
	 * @param partition a partition that this process consumes
	 * @return {@code false} if this is left to another member
	 */
	public boolean maySweep(Partition partition) {
		return hasTurn(partition)
				|| (this.sweeping && isMine(partition, current().turnAt(partition, -Roster.MARGIN_NANOS)));
	}

	/**
	 * Whether this process reclaims, audits and repairs the partition.
	 * @param partition a partition that this process consumes
	 * @return {@code false} if this is left to another member
	 */
	public boolean isOwner(Partition partition) {
		List<String> order = order(partition);
		return isMine(partition, order.isEmpty() ? null : order.get(0));
	}

	/**
	 * Whether this process becomes the owner of the partition when the present owner is
	 * no longer in the list of members.
	 * @param partition a partition that this process consumes
	 * @return {@code true} if this process is the second one in the order
	 */
	public boolean isStandby(Partition partition) {
		return order(partition).indexOf(this.name) == 1;
	}

	private boolean isMine(Partition partition, @Nullable String member) {
		return member == null || member.equals(this.name) || (this.sweeping && !order(partition).contains(this.name));
	}

	/**
	 * Returns when this process checks partitions again: when the turn passes to another
	 * member, or after the interval if the turn passes much later.
	 * @param partitions the partitions
	 * @param intervalNanos the interval, ns
	 * @return the time from now, ns
	 */
	public long nextCheckNanos(Collection<Partition> partitions, long intervalNanos) {
		// Avoid a check shortly before the turns change
		long left = turnLeftNanos(partitions);
		return (left / 5 * 4 < intervalNanos) ? left : intervalNanos;
	}

	/**
	 * Returns the time until the turns to sweep the partitions change, ns;
	 * {@link Long#MAX_VALUE} if no partition has several members.
	 */
	long turnLeftNanos(Collection<Partition> partitions) {
		Roster seen = current();
		return partitions.stream().anyMatch((partition) -> seen.order(partition).size() > 1) ? seen.turnLeftNanos()
				: Long.MAX_VALUE;
	}

	/**
	 * Returns who must get a hint about a message: the member that has the turn to sweep
	 * when the message is due. A member whose turn has not begun yet needs no hint,
	 * because it finds the message at the beginning of its turn.
	 * @param partition the partition
	 * @param inNanos the time until the message is due
	 */
	HintTarget hintTarget(Partition partition, long inNanos) {
		Roster seen = current();
		if (seen.ageNanos() > Members.TIME_TO_LIVE.toNanos()) {
			return HintTarget.ALL;
		}
		if (seen.order(partition).size() > 1 && inNanos > seen.hintedNanos()) {
			return HintTarget.NOBODY;
		}
		String member = seen.turnAt(partition, inNanos);
		// The list may still name this process although it no longer consumes the queue:
		// then all processes get the hint
		boolean hasEnded = this.name.equals(member) && this.membership.epochs(partition.queue()) == null;
		return (member == null || hasEnded) ? HintTarget.ALL : HintTarget.member(member);
	}

	/**
	 * Returns the other members that consume a partition, beginning with the member whose
	 * turn follows that of this process.
	 */
	List<String> others(Partition partition) {
		List<String> order = order(partition);
		int own = order.indexOf(this.name);
		List<String> others = new ArrayList<>(order.subList(own + 1, order.size()));
		others.addAll(order.subList(0, Math.max(0, own)));
		return others;
	}

	/**
	 * Makes this process take turns to sweep a queue, after its first call to Redis for
	 * the queue has succeeded.
	 * @param queue a queue that this process consumes
	 */
	public void consumes(String queue) {
		this.membership.consumes(queue);
	}

	/** Returns the queues that this process consumes. */
	Collection<Epochs> consumed() {
		return this.membership.consumed();
	}

	/**
	 * Sets the action that runs when the list of members has changed. The action gets the
	 * queues that this process consumes.
	 */
	void onChange(Consumer<Collection<Epochs>> action) {
		this.membership.onChange(action);
	}

	/**
	 * Reads the list of members soon, because a hint reports that the list has changed.
	 */
	void membersChanged() {
		this.membership.membersChanged();
	}

	/**
	 * Reads the list of members if this process consumes no queue and its copy of the
	 * list is old. Does not wait long for the list, whose server may hang.
	 */
	void look() {
		this.membership.look();
	}

	private Roster current() {
		return this.membership.roster();
	}

	/**
	 * Removes this process from the list of members, so that other members take over its
	 * work at once.
	 */
	public void stop() {
		this.membership.stop();
	}

}
