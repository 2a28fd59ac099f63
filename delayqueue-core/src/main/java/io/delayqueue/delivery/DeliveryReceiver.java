package io.delayqueue.delivery;

import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.ReadyMessages.Read;
import org.jspecify.annotations.Nullable;

/**
 * Processes the replies of the calls that a {@link PartitionReader} makes to Redis. This
 * class notices when a pause or a hold of the partition begins or ends, and passes the
 * messages to the {@link Dispatcher} or releases them. Used only by the task of the
 * reader.
 */
final class DeliveryReceiver {

	private final PartitionState partition;

	private final ConsumerState state;

	private final PendingMessages pending;

	private final GroupHolds groupHolds;

	private final Grants grants;

	private final ConsumerLog log;

	private final Dispatcher dispatcher;

	DeliveryReceiver(PartitionState partition, ConsumerState state, PendingMessages pending, GroupHolds groupHolds,
			Grants grants, ConsumerLog log, Dispatcher dispatcher) {
		this.partition = partition;
		this.state = state;
		this.pending = pending;
		this.groupHolds = groupHolds;
		this.grants = grants;
		this.log = log;
		this.dispatcher = dispatcher;
	}

	/**
	 * Records whether the last call to Redis has found the partition paused or held. When
	 * a pause or a hold has begun, releases the messages that no handler has begun.
	 * @return whether a pause or a hold has ended, so that the reader can read messages
	 * again
	 */
	boolean stopped(Read.State now) {
		if (!this.partition.stop(now)) {
			return false;
		}
		this.log.paused(this.state.isAny(Read.State.PAUSED));
		this.log.held(this.state.isAny(Read.State.HELD));
		if (now == Read.State.OPEN) {
			return true;
		}
		this.dispatcher.releaseUnstarted();
		return false;
	}

	/**
	 * Separates the messages that a call to Redis has delivered: messages to handle, and
	 * messages to release. Also checks which groups of the messages to handle are held.
	 * @param read the reply of the call
	 * @param lease the leases of these messages
	 * @param swept the reply of the sweep in or after that call, {@code null} if there
	 * was no sweep
	 * @param isLater whether the sweep came after the call that read these messages
	 */
	ReadResult sort(Read read, ReadLease lease, @Nullable Swept swept, boolean isLater) {
		ReadResult result = ReadResult.of(read, (entry, message) -> new DeliveryTask(this.partition.partition(), entry,
				message, this.state.settings().retry(), lease));
		this.groupHolds.check(result.tasks(), swept, isLater);
		return result;
	}

	/**
	 * Passes the messages of a read to the dispatcher, and releases the stream entries
	 * that this consumer cannot handle.
	 */
	void take(Read read, ReadResult result) {
		this.grants.delivered(read, result.tokens(read.nowMicros()));
		if (!result.kept().isEmpty()) {
			this.partition.messagesRead();
			this.state.received(result.kept());
			this.dispatcher.dispatch(result);
		}
		if (!result.leftovers().isEmpty()) {
			this.pending.settle(this.partition.partition(), result.leftovers());
		}
		this.log.lost(result.lost());
		this.log.newer(result.newer());
	}

}
