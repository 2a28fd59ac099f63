package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.domain.Range;
import org.springframework.data.domain.Range.Bound;
import org.springframework.data.redis.connection.RedisStreamCommands.XClaimOptions;
import org.springframework.data.redis.connection.RedisStreamCommands.XPendingOptions;
import org.springframework.data.redis.connection.stream.PendingMessage;
import org.springframework.data.redis.connection.stream.PendingMessages;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * The leases of a partition. Each delivered stream entry gives its consumer a lease on
 * the message. The message is reclaimed when the consumer stops renewing the lease. Each
 * method is safe to repeat and throws {@link StoreException}.
 */
public final class Leases {

	/** The most leases on one page. */
	public static final int PAGE = 500;

	private static final int RECLAIM = 25;

	private static final Duration DEAD_AFTER = Duration.ofHours(1);

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Leases(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Renews leases of a consumer on stream entries.
	 * @param partition the partition
	 * @param consumer the name of the consumer
	 * @param entries the stream entries to renew, 1 to 1,000
	 * @return the entries whose lease the consumer no longer has
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
			if (!"NOGROUP".equals(failure.code())) {
				throw failure;
			}
			renewed = List.of();
		}
		Set<String> lost = new HashSet<>(entries);
		renewed.forEach((entry) -> lost.remove(entry.getValue()));
		return lost;
	}

	/**
	 * Finds the stream entry of the current delivery of each message. A message that was
	 * cancelled, replaced or purged since its delivery has no current entry, or a
	 * different one.
	 * @param partition the partition
	 * @param ids the ids of the messages, 1 to 1,000
	 * @return the current stream entry of each message, {@code null} for a message
	 * without one
	 */
	public List<@Nullable String> current(Partition partition, List<StoredId> ids) {
		byte[] entries = this.calls.key(partition, Key.ENTRIES);
		byte[][] fields = ids.stream().map(StoredId::toBytes).toArray(byte[][]::new);
		List<byte @Nullable []> found = this.calls.command(partition, Key.ENTRIES,
				(connection) -> connection.hashCommands().hMGet(entries, fields));
		return found.stream().<@Nullable String>map((entry) -> (entry != null) ? Reply.text(entry) : null).toList();
	}

	/**
	 * Whether the partition has a message with the given id and group, for example one
	 * that has replaced the message of an earlier delivery.
	 * @param partition the partition
	 * @param id the id and the group
	 * @return whether they have a record
	 */
	public boolean isStored(Partition partition, StoredId id) {
		byte[] messages = this.calls.key(partition, Key.MESSAGES);
		return Boolean.TRUE.equals(this.calls.command(partition, Key.MESSAGES,
				(connection) -> connection.hashCommands().hExists(messages, id.toBytes())));
	}

	/**
	 * The lease that a consumer has on a stream entry, as Redis reports it.
	 *
	 * @param entry the stream entry
	 * @param idle the time since the entry was delivered, or its lease was last renewed
	 */
	public record Lease(String entry, Duration idle) {
	}

	/**
	 * Lists the leases of a consumer, the oldest entries first.
	 * @param partition the partition
	 * @param consumer the consumer
	 * @param from the entry at which to begin, empty for the first entry
	 * @return {@link #PAGE} leases, or fewer on the last page
	 */
	public List<Lease> of(Partition partition, String consumer, String from) {
		byte[] stream = this.calls.key(partition, Key.READY);
		// The bound is inclusive, because Lettuce sends an exclusive bound of XPENDING as
		// inclusive
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
			if (!"NOGROUP".equals(failure.code())) {
				throw failure;
			}
			return List.of();
		}
	}

	/**
	 * Returns the id and the group of the message of a stream entry.
	 * @param partition the partition
	 * @param entry the stream entry
	 * @return the message's id and group; an empty id if the stream no longer holds the
	 * entry
	 */
	public StoredId messageOf(Partition partition, String entry) {
		byte[] stream = this.calls.key(partition, Key.READY);
		var found = this.calls.command(partition, Key.READY,
				(connection) -> connection.streamCommands().xRange(stream, Range.closed(entry, entry)));
		return StoredId.from(found.isEmpty() ? new byte[0] : found.get(0).getValue().values().iterator().next());
	}

	/**
	 * The outcome of a check for silent consumers (those that have stopped renewing their
	 * leases).
	 */
	public enum Outcome {

		/** The check ran, and has reclaimed all messages of silent consumers. */
		RECLAIMED,

		/** The check ran, and silent consumers may have more messages to reclaim. */
		SILENT,

		/**
		 * This was the caller's first check, which reclaims nothing. It stores the
		 * visibility timeout if none is stored.
		 */
		RECORDED,

		/** Nothing was reclaimed, because the clock of Redis has jumped. */
		JUMPED

	}

	/**
	 * A message that was taken back from a silent consumer.
	 *
	 * @param storedId the message's id and group
	 * @param crashes how often the message was taken back from a silent consumer
	 * @param dead whether the message was dead-lettered, not scheduled again
	 */
	public record Reclaimed(StoredId storedId, int crashes, boolean dead) {

		/**
		 * {@return the id of the message}
		 */
		public String id() {
			return this.storedId.id();
		}

	}

	/**
	 * The result of a check for silent consumers (those that have stopped renewing their
	 * leases).
	 *
	 * @param outcome the outcome of the check
	 * @param nowMicros the time of Redis, us since 1970
	 * @param visibilityTimeout the stored visibility timeout, which the check used
	 * @param messages the reclaimed messages
	 * @param lost the ids of pending messages without a record, which were removed
	 */
	public record Found(Outcome outcome, long nowMicros, Duration visibilityTimeout, List<Reclaimed> messages,
			List<StoredId> lost) {

		/**
		 * Whether a further check may reclaim more messages.
		 * @return whether silent consumers may have more messages
		 */
		public boolean more() {
			return this.outcome == Outcome.SILENT;
		}

	}

	/**
	 * The rules of a check for silent consumers (those that have stopped renewing their
	 * leases).
	 *
	 * @param visibilityTimeout the time without a renewal after which a message is
	 * reclaimed
	 * @param maxCrashes the number of reclaims after which a message is dead-lettered
	 * @param reason the reason of the dead letter, as text
	 * @param tolerance by how much the clock of Redis and the caller's clock may drift
	 * apart
	 * @param countsOn whether dead letters count against the quota of their group
	 * @param history for how long, and of how many messages, the history is kept, see
	 * {@link History#setting}
	 */
	public record Rules(Duration visibilityTimeout, int maxCrashes, String reason, Duration tolerance, boolean countsOn,
			String history) {

		/**
		 * Returns these rules for a process that is not the owner of the partition.
		 * @return rules that leave the stored setting of the history as it is
		 */
		public Rules withoutHistory() {
			return new Rules(this.visibilityTimeout, this.maxCrashes, this.reason, this.tolerance, this.countsOn,
					History.UNCHANGED);
		}

	}

	/**
	 * Finds silent consumers (those that have stopped renewing their leases), and
	 * reclaims their messages.
	 * @param partition the partition
	 * @param rules the rules
	 * @param checkOnly {@code true} to find out only whether there are silent consumers,
	 * and to reclaim nothing
	 * @param lastMicros the time of Redis at this caller's last check, us since 1970, 0
	 * for the first check
	 * @param passed the time since the last check, by the caller's monotonic clock
	 * @return the reclaimed messages, and the stored visibility timeout
	 */
	public Found reclaim(Partition partition, Rules rules, boolean checkOnly, long lastMicros, Duration passed) {
		Reply reply = this.calls.run(StoreScript.RECLAIM, partition, rules.visibilityTimeout(), checkOnly ? 0 : RECLAIM,
				rules.maxCrashes(), rules.reason(), lastMicros, passed.toNanos() / 1000,
				rules.tolerance().toNanos() / 1000, rules.countsOn(), rules.history());
		List<Reclaimed> messages = new ArrayList<>();
		List<StoredId> lost = new ArrayList<>(0);
		for (int i = 3; i < reply.size(); i += 3) {
			if (reply.text(i + 2).equals("lost")) {
				lost.add(reply.id(i));
				continue;
			}
			messages.add(new Reclaimed(reply.id(i), (int) reply.number(i + 1), reply.text(i + 2).equals("dead")));
		}
		return new Found(reply.word(Outcome.class, 0), reply.number(1), Duration.ofMillis(reply.number(2)), messages,
				lost);
	}

	/**
	 * Returns the Redis command with which an operator changes the stored visibility
	 * timeout.
	 * @param partition the partition
	 * @param timeout the timeout to store
	 * @return the command
	 */
	public String commandToStore(Partition partition, Duration timeout) {
		return "HSET " + this.calls.keySpace().name(partition, Key.CONTROL) + " visibility-timeout "
				+ timeout.toMillis();
	}

	/**
	 * Renews the leases of all consumers of a partition.
	 * @param partition the partition
	 */
	public void renewAll(Partition partition) {
		Reply reply;
		String from = "-";
		do {
			reply = this.calls.run(StoreScript.RENEW_ALL_LEASES, partition, from, PAGE);
			from = reply.text(1);
		}
		while (reply.is("more"));
	}

	/**
	 * Removes consumers that hold no messages: the leaving consumer, and those that have
	 * been silent for an hour.
	 * @param partition the partition
	 * @param leaving the name of the leaving consumer, empty for none
	 * @return the number of removed consumers
	 */
	public int removeConsumers(Partition partition, String leaving) {
		return (int) this.calls.run(StoreScript.REMOVE_CONSUMERS, partition, leaving, DEAD_AFTER).number(1);
	}

}
