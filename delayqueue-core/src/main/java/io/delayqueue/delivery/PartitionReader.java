package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Read;
import org.jspecify.annotations.Nullable;

/**
 * Reads one partition for one consumer, and sweeps the partition (moves due messages to
 * its stream) when {@link PartitionSweep} plans a sweep. A sweep also reads messages, in
 * the same call to Redis. The reader reads without a sweep when a signal reports
 * messages, and when a permit becomes free after a read that left messages in the stream.
 * After a set time without a call to Redis, the reader makes a call even if no signal has
 * arrived. The reader never reads more messages than there are free permits, and uses no
 * blocking command of Redis.
 *
 * <p>
 * While the partition is paused or held for all processes:
 * <ol>
 * <li>each call to Redis reports the pause or the hold and delivers no messages;</li>
 * <li>the reader releases messages that no handler has begun, including those that it
 * reads while the pause or the hold begins; it releases a suspect that waits to run alone
 * only when the suspect could begin;</li>
 * <li>the reader continues to call Redis at the intervals of an idle partition, because
 * the signal that the pause has ended may be lost; the first call after the pause reports
 * its end. The reader also plans a sweep for the end of a hold.</li>
 * </ol>
 * The reader reads nothing while the partition has the layout of another version of the
 * library.
 */
final class PartitionReader {

	private static final int MOST_OF_A_READ = 200;

	/** The most messages of a call if groups have rates, which triple a sweep's time. */
	private static final int MOST_OF_RATED_GROUPS = 25;

	/**
	 * The longest time without a call to Redis while this process holds messages, because
	 * each call reports whether the partition is paused.
	 */
	private static final Duration HOLDING_BACKSTOP = Duration.ofSeconds(5);

	// immutable

	private final PartitionState partition;

	private final ConsumerState state;

	private final ReadyMessages ready;

	private final PartitionSweep sweep;

	private final QueueDirectory directory;

	private final DeliveryReceiver receiver;

	private final Dispatcher dispatcher;

	private final Grants grants;

	private final Task task;

	private final Runnable onReadable = this::signal;

	private final Runnable onPermit = this::permitFreed;

	private volatile boolean signalled = true;

	private volatile boolean lookRequested;

	private volatile boolean closed;

	// accessed only by the task

	private long lastCallNanos = Signals.longAgo();

	private boolean rightsChecked;

	/** Whether this consumer is a member of the consumer group in Redis. */
	private boolean entered;

	/** Whether the reader waits until the limits of the queue permit it to read. */
	private boolean waits;

	PartitionReader(PartitionState partition, ConsumerState state, ReadyMessages ready, PartitionSweep sweep,
			DeliveryReceiver receiver, QueueDirectory directory, Dispatcher dispatcher, TaskPool tasks) {
		this.partition = partition;
		this.state = state;
		this.ready = ready;
		this.sweep = sweep;
		this.grants = sweep.grants();
		this.receiver = receiver;
		this.directory = directory;
		this.dispatcher = dispatcher;
		this.task = tasks.task("delayqueue-read-" + partition.partition(), this::read);
		state.register(this.onReadable, this.onPermit);
		if (state.settings().flow().maxInFlight() > 0) {
			partition.onSettled(this.task::wake);
		}
	}

	void start() {
		this.task.wake();
	}

	/** Wakes the reader, because the partition may have messages to read. */
	void signal() {
		this.signalled = true;
		this.task.wake();
	}

	/** Plans a sweep after the given time, ns, because a message may be due then. */
	void dueIn(long nanos) {
		this.sweep.dueIn(nanos);
		this.task.wake();
	}

	/** Wakes the reader to check whether the partition was paused, held or resumed. */
	void look() {
		this.signalled = true;
		this.lookRequested = true;
		this.task.wake();
	}

	/** Wakes the reader when a permit is free, if messages may be left to read. */
	private void permitFreed() {
		if (this.signalled) {
			this.task.wake();
		}
	}

	void close() {
		this.closed = true;
		this.state.forget(this.onReadable, this.onPermit);
		this.task.stop();
	}

	/** Waits until a read that is under way has ended. */
	boolean await(Duration timeout) {
		return this.task.stop(timeout);
	}

	private Pause read() {
		if (!this.state.gate().isOpen()) {
			return Pause.untried(this.state.backstop().toNanos());
		}
		if (quietNanos() <= 0) {
			look();
		}
		Plan plan = plan();
		while (plan != null) {
			carryOut(plan);
			plan = plan();
		}
		this.grants.report(this.waits);
		long quiet = quietNanos();
		long wait = Math.min(this.sweep.waitNanos(), this.grants.waitNanos());
		if (this.waits) {
			wait = Math.min(wait, this.grants.retryNanos());
		}
		return Pause.of(Math.max(1, Math.min(wait, (quiet > 0) ? quiet : this.state.backstop().toNanos())));
	}

	/**
	 * The next call to Redis.
	 *
	 * @param sweeps whether the call sweeps the partition
	 * @param looks whether the call must be made to see whether the partition is paused
	 * or held, even if the limits of the queue permit no message
	 * @param permits the permits that were taken for the messages of the call
	 */
	private record Plan(boolean sweeps, boolean looks, int permits) {
	}

	/**
	 * Decides which call to make, and takes the permits for it. Resets what has requested
	 * the call, so that a request during the call causes another call.
	 * @return the call, {@code null} if there is nothing to do now
	 */
	private @Nullable Plan plan() {
		if (this.closed) {
			return null;
		}
		boolean mayRead = mayRead();
		// The first call to Redis is a read, if a permit is free, because a read adds
		// this consumer to the consumer group
		boolean enters = mayRead && !this.entered && !this.grants.areNeeded();
		boolean sweeps = !enters && (isSweepDue() || (this.waits && this.grants.retryNanos() <= 0));
		int permits = (mayRead && (sweeps || this.signalled))
				? this.state.permits().take(this.dispatcher.isCautious() ? 1 : most()) : 0;
		if (permits > 0) {
			sweeps |= this.entered && this.sweep.movesOnlyDelivered();
		}
		else if (enters) {
			sweeps = isSweepDue();
		}
		if (!sweeps && permits == 0) {
			return null;
		}
		Plan plan = new Plan(sweeps, sweeps && this.lookRequested, permits);
		this.signalled = false;
		this.lookRequested = false;
		this.waits = false;
		return plan;
	}

	/** Gives tokens and permits back to the queue's budget, after the last settlement. */
	void leave() {
		this.grants.leave();
	}

	private boolean isSweepDue() {
		return this.sweep.isDue() || this.lookRequested;
	}

	private int most() {
		boolean isShort = this.state.settings().groups().areRated() && !this.dispatcher.takesBatches();
		return Math.min(isShort ? MOST_OF_RATED_GROUPS : MOST_OF_A_READ, this.state.permits().share());
	}

	/** Returns the time until the partition is read even without a signal, ns. */
	private long quietNanos() {
		Duration backstop = this.state.backstop();
		if (this.state.permits().taken() > 0 && backstop.compareTo(HOLDING_BACKSTOP) > 0) {
			backstop = HOLDING_BACKSTOP;
		}
		return backstop.toNanos() - (System.nanoTime() - this.lastCallNanos);
	}

	private boolean mayRead() {
		return !this.closed && this.state.isReadable(this.partition) && this.dispatcher.acceptsMore()
				&& !this.ready.isLayoutForeign(this.partition.partition());
	}

	private void carryOut(Plan plan) {
		int kept = 0;
		try {
			if (!isOpened()) {
				return;
			}
			// During a pause the call only checks whether the pause has ended
			boolean isStopped = this.partition.isStopped();
			int count = this.grants.take(isStopped ? 0 : plan.permits());
			this.waits = count == 0 && plan.permits() > 0 && !isStopped;
			if (this.waits && !plan.looks()) {
				this.sweep.reached();
				return;
			}
			Answer answer = call(plan, count);
			Read read = answer.read();
			Swept meanwhile = lookAgain(read);
			if (read.state() != Read.State.UNKNOWN_PENDING
					&& this.receiver.stopped((meanwhile != null) ? meanwhile.read().state() : read.state())) {
				signal();
			}
			ReadResult result = this.receiver.sort(read, answer.lease(),
					(meanwhile != null) ? meanwhile : answer.swept(), meanwhile != null);
			kept = result.kept().size();
			this.receiver.take(read, result);
			this.waits |= count > 0 && this.grants.isLate();
			this.signalled |= read.limited() || shareRemainder(plan, count, answer);
		}
		catch (StoreException failure) {
			failed(plan, failure);
		}
		finally {
			this.partition.notReading();
			this.state.permits().giveBack(plan.permits() - kept);
		}
	}

	/**
	 * Returns whether the queue has this partition, and checks once that the Redis user
	 * has the rights to read it. If the process has created this reader before it has
	 * read the partition counts (epochs), the queue may not have the partition.
	 */
	private boolean isOpened() {
		Partition partition = this.partition.partition();
		if (!this.directory.register(this.state.settings()).contains(partition)) {
			this.closed = true;
			return false;
		}
		if (!this.rightsChecked) {
			this.ready.checkRights(partition);
			this.rightsChecked = true;
		}
		return true;
	}

	/**
	 * The reply of Redis.
	 *
	 * @param read the messages and the state of the partition
	 * @param swept what the same call has swept, {@code null} if it has not
	 * @param lease the leases of the messages
	 */
	private record Answer(Read read, @Nullable Swept swept, ReadLease lease) {
	}

	private Answer call(Plan plan, int count) {
		long sent = System.nanoTime();
		if (count > 0) {
			this.partition.reading(sent);
		}
		Swept swept = plan.sweeps() ? sweep(count) : null;
		Read read = (swept != null) ? swept.read()
				: this.ready.read(this.partition.partition(), this.state.consumer(), count, this.grants.allowance());
		this.sweep.reached();
		this.entered |= count > 0;
		this.lastCallNanos = sent;
		return new Answer(read, swept,
				new ReadLease(read.nowMicros(), sent, System.nanoTime(), this.partition.visibilityTimeout()));
	}

	private Swept sweep(int count) {
		Swept swept = this.sweep.sweep(this.state.consumer(), count);
		if (swept.parked() > 0) {
			this.partition.parked();
		}
		return swept;
	}

	/**
	 * Sweeps once more if a pause or a hold was signalled during a call that has
	 * delivered messages, because the reader must release these messages, too.
	 */
	private @Nullable Swept lookAgain(Read read) {
		if (!this.lookRequested || read.isStopped() || read.entries().isEmpty()) {
			return null;
		}
		this.lookRequested = false;
		try {
			return sweep(0);
		}
		catch (StoreException failure) {
			this.lookRequested = true;
			throw failure;
		}
	}

	/**
	 * Returns whether the call may have left messages in the stream. Then the reader
	 * reads again, and a call that has swept notifies other members.
	 */
	private boolean shareRemainder(Plan plan, int count, Answer answer) {
		Swept swept = answer.swept();
		boolean isLeft = (swept != null) ? count == plan.permits() && this.sweep.shareRemainder(swept, most())
				: answer.read().entries().size() == plan.permits();
		return isLeft || (plan.permits() == 0 && !this.entered);
	}

	private void failed(Plan plan, StoreException failure) {
		this.signalled = true;
		this.state.gate().failed(failure);
		if (this.partition.readingSince() != PartitionState.NOT_READING) {
			this.grants.lost();
			this.partition.renewSoon();
		}
		// Registering the queue also writes to other partitions, so the exception may
		// concern a different partition
		if (failure.isLayoutForeign() && this.ready.isLayoutForeign(this.partition.partition())) {
			this.lastCallNanos = System.nanoTime();
			this.sweep.foreign();
			return;
		}
		this.lookRequested |= plan.looks();
		if (plan.sweeps()) {
			this.sweep.dueIn(0);
		}
		throw failure;
	}

}
