package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import io.delayqueue.MessageKey;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Finds, redrives and discards the dead letters of a partition. {@link Pages} lists dead
 * letters. Each method runs one atomic script, is safe to repeat, and throws
 * {@link StoreException}.
 */
public final class DeadLetters {

	private final RedisCalls calls;

	private final Groups groups;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public DeadLetters(RedisCalls calls) {
		this.calls = calls;
		this.groups = new Groups(calls);
	}

	/**
	 * Finds one dead letter of a partition.
	 * @param candidate the partition and the message
	 * @return the dead letter, empty if the message is not a dead letter
	 */
	public Optional<DeadLetter> find(Candidate candidate) {
		return this.groups.meant(candidate)
			.stream()
			.flatMap((id) -> find(candidate.partition(), id).stream())
			.findFirst();
	}

	private Optional<DeadLetter> find(Partition partition, StoredId id) {
		byte[] dead = this.calls.key(partition, Key.DEAD);
		byte[] failures = this.calls.key(partition, Key.FAILURES);
		@Nullable Double died = this.calls.command(partition, Key.DEAD,
				(connection) -> connection.zSetCommands().zScore(dead, id.toBytes()));
		if (died == null) {
			return Optional.empty();
		}
		byte @Nullable [] failure = this.calls.command(partition, Key.FAILURES,
				(connection) -> connection.hashCommands().hGet(failures, id.toBytes()));
		return Optional.of(letter(partition, id, died.longValue(), FailureRecord.from(failure)));
	}

	/**
	 * Makes a dead letter from the parts that Redis stores.
	 * @param partition the partition of the dead letter
	 * @param id the message's id and group
	 * @param diedMillis when the message was dead-lettered, ms since 1970
	 * @param failure the record of the message's failed deliveries
	 * @return the dead letter
	 */
	public static DeadLetter letter(Partition partition, StoredId id, long diedMillis, FailureRecord failure) {
		FailureRecord.Last last = failure.last();
		return new DeadLetter(partition.queue(), id.id(), id.group(), Instant.ofEpochMilli(diedMillis),
				(last != null) ? last.reason() : FailureRecord.UNKNOWN, (last != null) ? last.exception() : null,
				(last != null) ? last.message() : "", failure.failures(), failure.crashes());
	}

	/**
	 * A dead letter to redrive, and the delay after which the redriven message is due.
	 *
	 * @param id the message's id and group
	 * @param delay the delay, 0 or more
	 */
	public record Redrive(StoredId id, Duration delay) {
	}

	/**
	 * The number of dead letters that a call has redriven, and the ids of those that it
	 * has not redriven.
	 *
	 * @param nowMicros the time of Redis, us since 1970
	 * @param firstDueMillis when the first redriven message is due, ms since 1970, -1 if
	 * none was redriven
	 * @param redriven the number of redriven dead letters
	 * @param refused the ids of messages that stay dead letters because their group has
	 * used up its quota; empty if an earlier run of this call has redriven messages
	 */
	public record Redriven(long nowMicros, long firstDueMillis, int redriven, List<StoredId> refused) {
	}

	/**
	 * Redrives dead letters: schedules them again, and resets their failures.
	 * @param partition the partition
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call
	 * @param quota the most waiting messages of one group, 0 for any number
	 * @param batch 1 to 1,000 dead letters
	 * @return the number of redriven dead letters, and the ids of those that stay
	 */
	public Redriven redrive(Partition partition, String token, Duration window, int quota, List<Redrive> batch) {
		List<Object> idsAndDelays = new ArrayList<>();
		batch.forEach((redrive) -> Collections.addAll(idsAndDelays, redrive.id(), redrive.delay()));
		return redriven(this.calls.run(StoreScript.REDRIVE, partition, token, window, quota, "", "", idsAndDelays));
	}

	/**
	 * Redrives a dead letter with another content, due at once. Changes nothing if the
	 * message was redriven since the given time of death.
	 * @param partition the partition
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call
	 * @param quota the most waiting messages of one group, 0 for any number
	 * @param id the id and the group of the message
	 * @param diedMillis when the message was dead-lettered, ms since 1970
	 * @param content the new content; the message keeps the call token of its record
	 * @return whether the dead letter was redriven or stays
	 */
	public Redriven redrive(Partition partition, String token, Duration window, int quota, StoredId id, long diedMillis,
			Envelope content) {
		byte[] envelope = content.toBytes();
		return redriven(this.calls.run(StoreScript.REDRIVE, partition, token, window, quota, diedMillis,
				Arrays.copyOfRange(envelope, CallToken.LENGTH, envelope.length), id, Duration.ZERO));
	}

	private static Redriven redriven(Reply reply) {
		List<StoredId> refused = new ArrayList<>(0);
		for (int i = 4; i < reply.size(); i++) {
			refused.add(reply.id(i));
		}
		return new Redriven(reply.number(1), reply.number(2), (int) reply.number(3), refused);
	}

	/**
	 * Removes dead letters for good.
	 * @param partition the partition
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call, or of the call
	 * that scheduled a message
	 * @param ids the ids and groups of 1 to 100 dead letters
	 * @return the number of removed dead letters
	 */
	public int discard(Partition partition, String token, Duration window, List<StoredId> ids) {
		return (int) this.calls.run(StoreScript.DISCARD, partition, token, window, "X", this.calls.process(), "", ids)
			.number(1);
	}

	/**
	 * Removes a dead letter after another queue has stored a copy of it. Keeps a dead
	 * letter that was redriven and dead-lettered again since the copy.
	 * @param partition the partition
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call, or of the call
	 * that scheduled a message
	 * @param id the id and the group of the message
	 * @param diedMillis when the copied message was dead-lettered, ms since 1970
	 * @return whether this call, or an earlier run of it, removed the dead letter
	 */
	public boolean moved(Partition partition, String token, Duration window, StoredId id, long diedMillis) {
		return this.calls.run(StoreScript.DISCARD, partition, token, window, "M", this.calls.process(), diedMillis, id)
			.number(1) > 0;
	}

}
