package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.springframework.data.domain.Range;
import org.springframework.data.domain.Range.Bound;
import org.springframework.data.redis.connection.RedisStreamCommands.XClaimOptions;
import org.springframework.data.redis.connection.RedisStreamCommands.XPendingOptions;
import org.springframework.data.redis.connection.stream.PendingMessage;
import org.springframework.data.redis.connection.stream.PendingMessages;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * The leases of a partition: what a delivered entry gives its consumer, and what is taken
 * back when the consumer falls silent. Each method is safe to repeat and throws
 * {@link StoreException}.
 */
public final class Leases {

	/** The most leases of a page. */
	public static final int PAGE = 500;

	private static final int RECLAIM = 25;

	private static final Duration DEAD_AFTER = Duration.ofHours(1);

	private final RedisCalls calls;

	/**
	 * Creates the side.
	 * @param calls the way to Redis
	 */
	public Leases(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Renews leases.
	 * @param partition the partition
	 * @param consumer the consumer whose leases they are
	 * @param entries the entries, 1 to 1,000
	 * @return those whose lease is lost
	 */
	public Set<String> renew(Partition partition, String consumer, List<String> entries) {
		byte[] stream = this.calls.key(partition, Key.READY);
		RecordId[] ids = entries.stream().map(RecordId::of).toArray(RecordId[]::new);
		List<RecordId> renewed;
		try {
			renewed = this.calls.command(partition, Key.READY, (connection) -> connection.streamCommands()
				.xClaimJustId(stream, KeySpace.GROUP, consumer, XClaimOptions.minIdle(Duration.ZERO).ids(ids)));
		}
		catch (StoreException failure) {
			if (!"NOGROUP".equals(FailureKind.code(failure))) {
				throw failure;
			}
			renewed = List.of();
		}
		Set<String> lost = new HashSet<>(entries);
		renewed.forEach((entry) -> lost.remove(entry.getValue()));
		return lost;
	}

	/**
	 * A lease as Redis knows it.
	 *
	 * @param entry the entry
	 * @param idle how long ago it was delivered or renewed
	 */
	public record Lease(String entry, Duration idle) {
	}

	/**
	 * The leases of a consumer, the oldest entries first.
	 * @param partition the partition
	 * @param consumer the consumer
	 * @param from the entry to begin at, empty for the first one
	 * @return {@link #PAGE} leases; fewer on the last page
	 */
	public List<Lease> of(Partition partition, String consumer, String from) {
		byte[] stream = this.calls.key(partition, Key.READY);
		// Inclusive: Lettuce sends an exclusive bound of XPENDING as an inclusive one
		Range<String> range = from.isEmpty() ? Range.unbounded() : Range.rightUnbounded(Bound.inclusive(from));
		try {
			PendingMessages pending = this.calls
				.command(partition, Key.READY, (connection) -> connection.streamCommands()
					.xPending(stream, KeySpace.GROUP, XPendingOptions.range(range, (long) PAGE).consumer(consumer)));
			List<Lease> leases = new ArrayList<>();
			for (PendingMessage message : pending) {
				leases.add(new Lease(message.getIdAsString(), message.getElapsedTimeSinceLastDelivery()));
			}
			return leases;
		}
		catch (StoreException failure) {
			if (!"NOGROUP".equals(FailureKind.code(failure))) {
				throw failure;
			}
			return List.of();
		}
	}

	/**
	 * The message of an entry.
	 * @param partition the partition
	 * @param entry the entry
	 * @return the message's id, empty if the stream does not hold the entry any more
	 */
	public String messageOf(Partition partition, String entry) {
		byte[] stream = this.calls.key(partition, Key.READY);
		var found = this.calls.command(partition, Key.READY,
				(connection) -> connection.streamCommands().xRange(stream, Range.closed(entry, entry)));
		return found.isEmpty() ? "" : Reply.text(found.get(0).getValue().values().iterator().next());
	}

	/** What a look for silent consumers came to. */
	public enum Look {

		/** It looked, and nothing is left to take back. */
		RECLAIMED,

		/** It looked, and there may be more to take back. */
		SILENT,

		/** It was the caller's first look; nothing was written. */
		RECORDED,

		/** The clock of Redis has jumped; nothing was written. */
		JUMPED

	}

	/**
	 * A message that was taken back.
	 *
	 * @param id the message's id
	 * @param crashes how often its consumer has fallen silent
	 * @param dead whether it was set aside
	 */
	public record Reclaimed(String id, int crashes, boolean dead) {
	}

	/**
	 * What a look found.
	 *
	 * @param look what it came to
	 * @param nowMicros the time of Redis
	 * @param visibilityTimeout the one that was used: the stored one
	 * @param messages what was taken back
	 * @param lost ids of which there was no record to be taken back
	 */
	public record Found(Look look, long nowMicros, Duration visibilityTimeout, List<Reclaimed> messages,
			List<String> lost) {

		/**
		 * Whether another look may take something back.
		 * @return whether this one has left something, or may have
		 */
		public boolean more() {
			return this.look == Look.SILENT;
		}

	}

	/**
	 * How to look.
	 *
	 * @param visibilityTimeout after which silence a message is taken back
	 * @param maxCrashes after how many of these it is set aside
	 * @param reason why, for a human
	 * @param tolerance how much the clocks may differ
	 * @param countsOn whether dead letters hold their places in the quota of their group
	 */
	public record Rules(Duration visibilityTimeout, int maxCrashes, String reason, Duration tolerance,
			boolean countsOn) {
	}

	/**
	 * Looks for silent consumers and takes back what they held.
	 * @param partition the partition
	 * @param rules how to look
	 * @param lookOnly whether to take nothing back, only to find out if there is
	 * something
	 * @param lastMicros the time of Redis at this caller's last look, 0 if it is the
	 * first
	 * @param passed how long ago that was, by the caller's monotonic clock
	 * @return what it found
	 */
	public Found reclaim(Partition partition, Rules rules, boolean lookOnly, long lastMicros, Duration passed) {
		Reply reply = this.calls.run(StoreScript.RECLAIM, partition, Reply.bytes(rules.visibilityTimeout().toMillis()),
				Reply.bytes(lookOnly ? 0 : RECLAIM), Reply.bytes(rules.maxCrashes()), Reply.bytes(rules.reason()),
				Reply.bytes(lastMicros), Reply.bytes(passed.toNanos() / 1000),
				Reply.bytes(rules.tolerance().toNanos() / 1000), Reply.bytes(rules.countsOn() ? 1 : 0));
		List<Reclaimed> messages = new ArrayList<>();
		List<String> lost = new ArrayList<>(0);
		for (int i = 3; i < reply.size(); i += 3) {
			if (reply.text(i + 2).equals("lost")) {
				lost.add(reply.text(i));
				continue;
			}
			messages.add(new Reclaimed(reply.text(i), (int) reply.number(i + 1), reply.text(i + 2).equals("dead")));
		}
		return new Found(reply.word(Look.class, 0), reply.number(1), Duration.ofMillis(reply.number(2)), messages,
				lost);
	}

	/**
	 * How to change the stored visibility timeout, for a human.
	 * @param partition the partition
	 * @param timeout what to store
	 * @return the command
	 */
	public String commandToStore(Partition partition, Duration timeout) {
		return "HSET " + this.calls.keySpace().name(partition, Key.CONTROL) + " visibility-timeout "
				+ timeout.toMillis();
	}

	/**
	 * Gives all that is pending a new lease.
	 * @param partition the partition
	 */
	public void renewAll(Partition partition) {
		String from = "-";
		while (!from.isEmpty()) {
			from = this.calls.run(StoreScript.RENEW_ALL_LEASES, partition, Reply.bytes(from), Reply.bytes(PAGE))
				.text(0);
		}
	}

	/**
	 * Removes consumers that hold nothing: the one that leaves, and those that have been
	 * silent for an hour.
	 * @param partition the partition
	 * @param leaving the consumer that leaves, empty if none does
	 * @return how many were removed
	 */
	public int removeConsumers(Partition partition, String leaving) {
		return (int) this.calls
			.run(StoreScript.REMOVE_CONSUMERS, partition, Reply.bytes(leaving), Reply.bytes(DEAD_AFTER.toMillis()))
			.number(0);
	}

}
