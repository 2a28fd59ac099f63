package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Settles the pending messages of a consumer, which {@link ReadyMessages} has read. Each
 * method runs one atomic script, is safe to repeat, and throws {@link StoreException}.
 */
public final class PendingMessages {

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public PendingMessages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Whether this process skips the partition, as in
	 * {@link ReadyMessages#isLayoutForeign}.
	 * @param partition the partition
	 * @return {@code false} if no script has found another layout
	 */
	public boolean isLayoutForeign(Partition partition) {
		return this.calls.isLayoutForeign(partition);
	}

	/** The result of a settlement. */
	public enum Settled {

		/** The settlement counted. */
		COUNTED,

		/**
		 * The message does not exist any more, or this delivery has settled it before.
		 */
		GONE,

		/** The message was delivered again; only that delivery can settle it. */
		SUPERSEDED

	}

	/**
	 * The results of settlements.
	 *
	 * @param each the result of each settlement, in their order
	 * @param unparked number of parked messages that are scheduled again
	 */
	public record Settlements(List<Settled> each, long unparked) {
	}

	/**
	 * A handled message.
	 *
	 * @param entry the entry that was delivered
	 * @param id the message's id
	 * @param token the token of the call that scheduled it
	 * @param window for how long Redis keeps the finished id
	 */
	public record Acknowledgement(String entry, String id, String token, Duration window) {
	}

	/**
	 * Acknowledges and removes handled messages.
	 * @param partition the partition
	 * @param repeats for how long Redis recognises a repeat of the call that scheduled a
	 * message
	 * @param batch 1 to 1,000 handled messages
	 * @return the results
	 */
	public Settlements acknowledge(Partition partition, Duration repeats, List<Acknowledgement> batch) {
		return finish(partition, repeats, "A", batch);
	}

	/**
	 * Removes messages that have expired.
	 * @param partition the partition
	 * @param repeats for how long Redis recognises a repeat of the call that scheduled a
	 * message
	 * @param batch 1 to 1,000 expired messages
	 * @return the results
	 */
	public Settlements drop(Partition partition, Duration repeats, List<Acknowledgement> batch) {
		return finish(partition, repeats, "E", batch);
	}

	private Settlements finish(Partition partition, Duration repeats, String how, List<Acknowledgement> batch) {
		List<Object> handled = new ArrayList<>(4 * batch.size());
		batch.forEach((each) -> Collections.addAll(handled, each.entry(), each.id(), each.token(), each.window()));
		Reply reply = this.calls.run(StoreScript.ACKNOWLEDGE, partition, repeats, how, this.calls.process(), handled);
		return new Settlements(settled(reply, 2), reply.number(1));
	}

	/**
	 * A delivered message that the consumer gives back.
	 *
	 * @param entry the entry that was delivered
	 * @param id the message's id
	 * @param dueMillis its due time, ms since 1970, or {@link #DUE_NOW}
	 * @param isLater whether its due time may be in the future; else it is due now at the
	 * latest, even if the clock of Redis has gone back since it was swept
	 */
	public record Release(String entry, String id, long dueMillis, boolean isLater) {

		/** The due time of a message without a record at hand: due when it was read. */
		public static final long DUE_NOW = -1;

		/**
		 * Makes the release of a message that was due when it was read.
		 * @param entry the entry that was delivered
		 * @param id the message's id
		 * @param dueMillis its due time, or {@link #DUE_NOW}
		 */
		public Release(String entry, String id, long dueMillis) {
			this(entry, id, dueMillis, false);
		}

	}

	/**
	 * Releases messages without counting a failure. Also removes stream entries of
	 * messages without a record.
	 * @param partition the partition
	 * @param batch 1 to 1,000 messages
	 * @return the result of each, in their order
	 */
	public List<Settled> release(Partition partition, List<Release> batch) {
		List<Object> released = new ArrayList<>(3 * batch.size());
		batch.forEach((each) -> Collections.addAll(released, each.entry(), each.id(),
				(each.isLater() ? "+" : "") + each.dueMillis()));
		return settled(this.calls.run(StoreScript.RELEASE, partition, released), 1);
	}

	/**
	 * The answer to a retry.
	 *
	 * @param settled the result of the settlement
	 * @param dueMillis the new due time, ms since 1970
	 * @param nowMicros the time of Redis, us since 1970
	 * @param newHead whether the message is now the first one due in its partition
	 * @param unparked number of parked messages that are scheduled again
	 */
	public record Retried(Settled settled, long dueMillis, long nowMicros, boolean newHead, long unparked) {
	}

	/**
	 * When a failed or deferred message is delivered again, and why.
	 *
	 * @param waiting the time from now until it is due
	 * @param reason why the handler failed, as text; {@code null} if the handler deferred
	 * the message
	 * @param keepsSlot whether it keeps its slot in its group, so that parked messages of
	 * the group wait for it
	 * @param hasExpired whether the message had expired when the attempt began; else it
	 * is due at its expiry at the latest
	 */
	public record Retry(Duration waiting, @Nullable String reason, boolean keepsSlot, boolean hasExpired) {
	}

	/**
	 * Gives a failed or deferred message a new due time.
	 * @param partition the partition
	 * @param entry the entry that was delivered
	 * @param id the message's id
	 * @param retry when to deliver the message again, and why
	 * @return the result
	 */
	public Retried retry(Partition partition, String entry, String id, Retry retry) {
		String reason = retry.reason();
		Reply reply = this.calls.run(StoreScript.RETRY, partition, entry, id, retry.waiting(),
				(reason != null) ? "failure" : "defer", reason, retry.keepsSlot(), retry.hasExpired());
		return new Retried(reply.word(Settled.class, 0), reply.number(1), reply.number(2), reply.number(3) == 1,
				reply.number(4));
	}

	/**
	 * Why a message is dead-lettered.
	 *
	 * @param text the reason of the dead letter, as text
	 * @param isFailure whether the delivery counts as a failure
	 * @param countsOn whether dead letters count against the quota of their group
	 */
	public record Death(String text, boolean isFailure, boolean countsOn) {
	}

	/**
	 * Dead-letters a message.
	 * @param partition the partition
	 * @param entry the entry that was delivered
	 * @param id the message's id
	 * @param death why the message is dead-lettered
	 * @return the result
	 */
	public Settlements deadLetter(Partition partition, String entry, String id, Death death) {
		Reply reply = this.calls.run(StoreScript.DEAD_LETTER, partition, entry, id, death.text(), death.isFailure(),
				death.countsOn(), this.calls.process());
		return new Settlements(List.of(reply.word(Settled.class, 0)), reply.number(1));
	}

	private static List<Settled> settled(Reply reply, int from) {
		List<Settled> settled = new ArrayList<>(reply.size());
		for (int i = from; i < reply.size(); i++) {
			settled.add(reply.word(Settled.class, i));
		}
		return settled;
	}

}
