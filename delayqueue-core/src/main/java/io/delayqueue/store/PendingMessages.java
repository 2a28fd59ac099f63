package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStreamCommands.XClaimOptions;
import org.springframework.data.redis.connection.stream.RecordId;

/**
 * Settles the pending messages that a consumer has read with {@link ReadyMessages}. Each
 * method runs one atomic script or command, is safe to repeat, and throws
 * {@link StoreException}.
 */
public final class PendingMessages {

	/**
	 * The delivery count of a stream entry whose message runs alone; otherwise Redis
	 * counts one delivery, because each delivery has its own entry.
	 */
	private static final long ALONE = 100;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public PendingMessages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Returns the name of this process.
	 * @return the name, as the history and the list of members show it
	 */
	public String process() {
		return this.calls.process();
	}

	/**
	 * Whether this process skips the partition because another version of the library has
	 * laid out its keys, see {@link ReadyMessages#isLayoutForeign}.
	 * @param partition the partition
	 * @return {@code true} if the last script that checked the layout has found the
	 * layout of another version
	 */
	public boolean isLayoutForeign(Partition partition) {
		return this.calls.isLayoutForeign(partition);
	}

	/**
	 * Stores whether a pending message runs alone in its process, so that only this
	 * message can be the cause if the process dies. Also renews the lease of the message.
	 * @param partition the partition
	 * @param consumer the name of the consumer that holds the message
	 * @param entry the stream entry that was delivered
	 * @param alone whether the message runs alone
	 */
	public void isolate(Partition partition, String consumer, String entry, boolean alone) {
		byte[] stream = this.calls.key(partition, Key.READY);
		XClaimOptions options = XClaimOptions.minIdle(Duration.ZERO)
			.ids(RecordId.of(entry))
			.retryCount(alone ? ALONE : 1);
		this.calls.command(partition, Key.READY,
				(connection) -> connection.streamCommands().xClaimJustId(stream, KeySpace.GROUP, consumer, options));
	}

	/** Whether a settlement of a message counted. */
	public enum Settled {

		/** The settlement counted: it has changed the message. */
		COUNTED,

		/**
		 * The message does not exist any more, or an earlier settlement of this delivery
		 * counted.
		 */
		GONE,

		/**
		 * The message was delivered again or moved since; only a settlement of its
		 * current delivery counts.
		 */
		SUPERSEDED

	}

	/**
	 * Whether the settlements of one call counted.
	 *
	 * @param each for each message, in their order, whether its settlement counted
	 * @param unparked number of parked messages that this call scheduled again
	 * @param headMillis the due time, ms since 1970, of the message that is now the first
	 * one due in its partition, if this call has retried it; else 0
	 * @param nowMicros the time of Redis, us since 1970; 0 if the reply does not have it
	 */
	public record Settlements(List<Settled> each, long unparked, long headMillis, long nowMicros) {
	}

	/**
	 * A message to remove, because it was handled or has expired.
	 *
	 * @param entry the stream entry that was delivered
	 * @param id the message's id and group
	 * @param token the token of the call that scheduled the message
	 * @param window for how long Redis keeps the finished id
	 * @param took for how long its handler ran, for the history; {@code null} if this is
	 * unknown, or the queue keeps no history
	 */
	public record Acknowledgement(String entry, StoredId id, String token, Duration window, @Nullable Duration took) {

		/**
		 * Creates the acknowledgement of a message of a queue without a history.
		 * @param entry the stream entry that was delivered
		 * @param id the message's id and group
		 * @param token the token of the call that scheduled the message
		 * @param window for how long Redis keeps the finished id
		 */
		public Acknowledgement(String entry, StoredId id, String token, Duration window) {
			this(entry, id, token, window, null);
		}

	}

	/**
	 * Acknowledges handled messages: removes them, and keeps their ids for some time.
	 * @param partition the partition
	 * @param repeats for how long Redis recognises a repeat of the call that scheduled a
	 * message
	 * @param batch 1 to 1,000 handled messages
	 * @return whether each settlement counted
	 */
	public Settlements acknowledge(Partition partition, Duration repeats, List<Acknowledgement> batch) {
		return finish(partition, repeats, "A", batch);
	}

	/**
	 * Removes delivered messages that have expired.
	 * @param partition the partition
	 * @param repeats for how long Redis recognises a repeat of the call that scheduled a
	 * message
	 * @param batch 1 to 1,000 expired messages
	 * @return whether each settlement counted
	 */
	public Settlements expire(Partition partition, Duration repeats, List<Acknowledgement> batch) {
		return finish(partition, repeats, "E", batch);
	}

	private Settlements finish(Partition partition, Duration repeats, String how, List<Acknowledgement> batch) {
		List<Object> handled = new ArrayList<>(4 * batch.size());
		batch.forEach((each) -> Collections.addAll(handled, each.entry(), each.id(), each.token(), each.window()));
		String took = batch.stream().allMatch((each) -> each.took() == null) ? ""
				: batch.stream()
					.map(Acknowledgement::took)
					.map(PendingMessages::millis)
					.collect(Collectors.joining(" "));
		Reply reply = this.calls.run(StoreScript.ACKNOWLEDGE, partition, repeats, how, this.calls.process(), took,
				handled);
		return new Settlements(settled(reply, 2), reply.number(1), 0, 0);
	}

	private static String millis(@Nullable Duration took) {
		return (took != null) ? Long.toString(took.toMillis()) : "-";
	}

	/**
	 * How a delivered message that was not handled goes on.
	 */
	public sealed interface Unhandled permits Release, Retry, Death {

		/**
		 * {@return the arguments of the message in the call of the script}
		 */
		List<@Nullable Object> arguments();

	}

	/**
	 * A delivered message that the consumer releases, because it has not started the
	 * message: it is scheduled again, without counting a failure. A message without a
	 * record loses its stream entry.
	 *
	 * @param entry the stream entry that was delivered
	 * @param id the message's id and group
	 * @param dueMillis the due time of the message, ms since 1970, or {@link #DUE_NOW}
	 * @param isLater whether the due time may be in the future; if not, the message is
	 * due at once, even if the clock of Redis has gone back since the message was swept
	 */
	public record Release(String entry, StoredId id, long dueMillis, boolean isLater) implements Unhandled {

		/**
		 * Makes a released message due at once, because the consumer does not have its
		 * due time.
		 */
		public static final long DUE_NOW = -1;

		/**
		 * Creates the release of a message that is due at once.
		 * @param entry the stream entry that was delivered
		 * @param id the message's id and group
		 * @param dueMillis the due time of the message, ms since 1970, or
		 * {@link #DUE_NOW}
		 */
		public Release(String entry, StoredId id, long dueMillis) {
			this(entry, id, dueMillis, false);
		}

		@Override
		public List<@Nullable Object> arguments() {
			return Arrays.asList(this.entry, this.id, "release", this.dueMillis, !this.isLater, true, null);
		}

	}

	/**
	 * A message that is scheduled again after its handler has failed or has deferred the
	 * message.
	 *
	 * @param entry the stream entry that was delivered
	 * @param id the message's id and group
	 * @param waiting the time from now until the message is due again
	 * @param reason why the handler failed, as text; {@code null} if the handler deferred
	 * the message
	 * @param keepsSlot whether the message keeps its slot in its group meanwhile, so that
	 * parked messages of the group wait for it
	 * @param hasExpired whether the message had expired when the attempt began; if not,
	 * the message is due again at its expiry at the latest
	 */
	public record Retry(String entry, StoredId id, Duration waiting, @Nullable String reason, boolean keepsSlot,
			boolean hasExpired) implements Unhandled {

		@Override
		public List<@Nullable Object> arguments() {
			return Arrays.asList(this.entry, this.id, (this.reason != null) ? "retry" : "defer", this.waiting,
					!this.hasExpired, this.keepsSlot, this.reason);
		}

	}

	/**
	 * A message that becomes a dead letter.
	 *
	 * @param entry the stream entry that was delivered
	 * @param id the message's id and group
	 * @param text the reason of the dead letter, as text
	 * @param isFailure whether the delivery counts as a failure
	 * @param countsOn whether dead letters count against the quota of their group
	 */
	public record Death(String entry, StoredId id, String text, boolean isFailure,
			boolean countsOn) implements Unhandled {

		@Override
		public List<@Nullable Object> arguments() {
			return Arrays.asList(this.entry, this.id, this.isFailure ? "dead" : "expired", 0, false, this.countsOn,
					this.text);
		}

	}

	/**
	 * Releases, retries or dead-letters delivered messages.
	 * @param partition the partition
	 * @param batch 1 to 1,000 messages
	 * @return whether each settlement counted, and whether a message is due earlier than
	 * before
	 */
	public Settlements settle(Partition partition, List<? extends Unhandled> batch) {
		Reply reply = this.calls.run(StoreScript.SETTLE, partition, this.calls.process(),
				batch.stream().flatMap((each) -> each.arguments().stream()).toList());
		return new Settlements(settled(reply, 4), reply.number(3), reply.number(1), reply.number(2));
	}

	private static List<Settled> settled(Reply reply, int from) {
		List<Settled> settled = new ArrayList<>(reply.size());
		for (int i = from; i < reply.size(); i++) {
			settled.add(reply.word(Settled.class, i));
		}
		return settled;
	}

}
