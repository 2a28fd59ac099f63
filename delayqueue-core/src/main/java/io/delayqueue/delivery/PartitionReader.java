package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.delivery.DeliveryTask.Lease;
import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Read;

/**
 * Reads one partition for one consumer: when there is something to read, when a permit
 * becomes free and the last read has left messages, and at the latest after the backstop,
 * unless another component has found the partition empty since. Its thread keeps the
 * process alive. It never reads more messages than there are free permits, and never
 * blocks on Redis.
 *
 * <p>
 * While the partition is paused for all processes:
 * <ol>
 * <li>a read reports the pause and brings nothing;</li>
 * <li>from then on, or from when a sweep has reported it, messages that no handler has
 * are given back, also those of a read during which the pause began; a suspect when it
 * would begin;</li>
 * <li>reads go on as if nothing were ready, because signals may be lost: the first read
 * after the pause finds that it has ended.</li>
 * </ol>
 * Nothing is read while the partition has a layout of another version of the library.
 */
final class PartitionReader {

	private static final int MOST_OF_A_READ = 200;

	// immutable

	private final PartitionState partition;

	private final ConsumerState state;

	private final ReadyMessages ready;

	private final QueueDirectory directory;

	private final ConsumerLog log;

	private final Dispatcher dispatcher;

	/** The most messages of one read: a partition that hangs holds no more permits. */
	private final int most;

	private final BackgroundLoop loop;

	// shared and safe

	private volatile boolean signalled = true;

	private volatile boolean closed;

	// confined to the loop thread

	private long lastReadNanos = Signals.longAgo();

	private boolean rightsChecked;

	PartitionReader(PartitionState partition, ConsumerState state, ReadyMessages ready, QueueDirectory directory,
			ConsumerLog log, Dispatcher dispatcher) {
		this.partition = partition;
		this.state = state;
		this.ready = ready;
		this.directory = directory;
		this.log = log;
		this.dispatcher = dispatcher;
		QueueSettings settings = state.settings();
		this.most = Math.min(MOST_OF_A_READ, Math.max(1, settings.concurrency() / settings.partitions()));
		this.loop = new BackgroundLoop("delayqueue-read-" + partition.partition(), false, this::read);
		state.onReadable(this::signal);
		state.onPermit(this::permitFreed);
	}

	void start() {
		this.loop.start();
	}

	/** There is something to read. */
	void signal() {
		this.signalled = true;
		this.loop.wakeUp();
	}

	/** A sweep or a read has seen whether the partition is paused for all processes. */
	void pausedForAll(boolean now) {
		if (this.partition.pause(now)) {
			this.log.paused(this.state.isPausedForAll());
			if (now) {
				this.dispatcher.releaseUnstarted();
			}
			else {
				signal();
			}
		}
	}

	/** A permit is free again: reads, if the last read has left messages. */
	private void permitFreed() {
		if (this.signalled) {
			this.loop.wakeUp();
		}
	}

	void close() {
		this.closed = true;
		this.loop.stop(Duration.ZERO);
	}

	/** Waits for a read that is under way. */
	boolean await(Duration timeout) {
		return this.loop.stop(timeout);
	}

	LoopStatus status() {
		return this.loop.status();
	}

	private long read() {
		long backstop = this.state.backstop().toNanos();
		if (!this.state.gate().isOpen()) {
			return BackgroundLoop.untried(backstop);
		}
		long sinceRead = System.nanoTime() - this.lastReadNanos;
		long quiet = Math.max(backstop - sinceRead, this.partition.emptyFor(backstop));
		if (quiet <= 0 || sinceRead >= Signals.LONGEST_QUIET.toNanos()) {
			this.signalled = true;
		}
		while (this.signalled && mayRead()) {
			int permits = this.state.permits().take(this.dispatcher.isCautious() ? 1 : this.most);
			if (permits == 0) {
				break;
			}
			// Before the read: a sweep during the read signals again
			this.signalled = false;
			if (read(permits) == permits) {
				this.signalled = true;
			}
			this.lastReadNanos = System.nanoTime();
		}
		return (quiet > 0) ? quiet : backstop;
	}

	private boolean mayRead() {
		return !this.closed && this.state.isReadable(this.partition) && this.dispatcher.acceptsMore()
				&& !isLayoutForeign();
	}

	private boolean isLayoutForeign() {
		return this.ready.isLayoutForeign(this.partition.partition());
	}

	private int read(int permits) {
		Partition partition = this.partition.partition();
		int kept = 0;
		try {
			this.directory.enter(this.state.settings());
			if (!this.rightsChecked) {
				this.ready.checkRights(partition);
				this.rightsChecked = true;
			}
			long asked = System.nanoTime();
			this.partition.reading(asked);
			Read read = this.ready.read(partition, this.state.consumer(), permits);
			Lease lease = new Lease(read.nowMicros(), asked, System.nanoTime(), this.partition.visibilityTimeout());
			if (read.paused() || !this.partition.isBeforePause(asked)) {
				pausedForAll(read.paused());
			}
			ReadResult result = ReadResult.of(read, (entry, message) -> new DeliveryTask(partition, entry, message,
					this.state.settings().retry(), lease));
			kept = result.kept().size();
			if (kept > 0) {
				this.partition.messagesRead();
				this.state.received(result.kept());
				this.dispatcher.dispatch(result);
			}
			if (!result.leftovers().isEmpty()) {
				this.ready.release(partition, result.leftovers());
			}
			this.log.lost(result.lost());
			this.log.newer(result.newer());
			return read.entries().size();
		}
		catch (StoreException failure) {
			this.signalled = true;
			this.state.gate().failed(failure);
			// To enter the queue, other partitions are called too: their failure counts
			// here
			if (failure.isLayoutForeign() && isLayoutForeign()) {
				return 0;
			}
			throw failure;
		}
		finally {
			this.partition.reading(PartitionState.NOT_READING);
			this.state.permits().giveBack(permits - kept);
		}
	}

}
