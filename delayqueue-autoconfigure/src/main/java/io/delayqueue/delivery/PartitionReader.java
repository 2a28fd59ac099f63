package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.delayqueue.delivery.DeliveryTask.Lease;
import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.MessageRecord;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.StoreException;

/**
 * Reads one partition for one consumer: when it is told that there is something to read,
 * when a place becomes free and the last read was not the end, and at the latest after
 * the backstop, unless others have seen since that there is nothing. Its thread keeps the
 * process alive. Never reads more than there are free places, and never blocks on Redis.
 *
 * <p>
 * While the partition is paused for all processes:
 * <ol>
 * <li>a read tells of it and brings nothing;</li>
 * <li>from then on, or from when a sweep has told so, what has not begun is given back,
 * also what a read brought during which the pause began; a suspect when it would
 * begin;</li>
 * <li>reads go on as if nothing were ready, because signals may be lost: the first one
 * after the pause finds that it has ended.</li>
 * </ol>
 * Nothing is read either while the partition has another layout than this version knows.
 */
final class PartitionReader {

	/** Stands for "no read is under way". */
	static final long NOT_READING = Long.MIN_VALUE;

	// immutable

	private final Partition partition;

	private final Reading reading;

	/** How long a lease lasts. */
	private final Supplier<Duration> visibilityTimeout;

	private final RedisGate gate;

	private final Permits permits;

	private final InFlight inFlight;

	private final Receiver receiver;

	private final BackgroundLoop loop;

	// shared and safe

	private volatile boolean signalled = true;

	private volatile boolean closed;

	private volatile boolean paused;

	/** When a pause was reported last: what was asked before does not tell of its end. */
	private volatile long pausedNanos = Signals.longAgo();

	private volatile long readingSince = NOT_READING;

	private final LastEmptyCheck empty = new LastEmptyCheck();

	// confined to the loop thread

	private long lastReadNanos = Signals.longAgo();

	private boolean rightsChecked;

	PartitionReader(Partition partition, Reading reading, Supplier<Duration> visibilityTimeout, RedisGate gate,
			Permits permits, InFlight inFlight, Receiver receiver) {
		this.partition = partition;
		this.reading = reading;
		this.visibilityTimeout = visibilityTimeout;
		this.gate = gate;
		this.permits = permits;
		this.inFlight = inFlight;
		this.receiver = receiver;
		this.loop = new BackgroundLoop("delayqueue-read-" + partition, false, this::read);
	}

	/**
	 * How to read.
	 *
	 * @param ready the side of Redis
	 * @param enter checks at first contact that all processes see the queue alike
	 * @param consumer the consumer's name
	 * @param backstop how often to look without being told
	 * @param most the most messages of one read, so that no partition takes all places
	 * @param retry how messages are retried that say nothing of it
	 * @param lostMessageLog is told of messages whose records are gone
	 * @param newerRecordLog is told of messages that only newer versions can read
	 */
	record Reading(ReadyMessages ready, Runnable enter, String consumer, Duration backstop, int most,
			RetrySettings retry, LostMessageLog lostMessageLog, NewerRecordLog newerRecordLog) {
	}

	/**
	 * Gets what was read.
	 */
	interface Receiver {

		/**
		 * Whether to read at all.
		 * @param partition the partition
		 * @return {@code false} while paused in this process, while a suspect has the
		 * consumer for itself, while too many handlers hang, or while Redis refuses to
		 * settle too many of the partition's messages
		 */
		boolean isOpen(Partition partition);

		/**
		 * Whether to read one message at a time.
		 * @return whether there was a suspect among what was read last
		 */
		boolean isCautious();

		/**
		 * Messages were read; each takes one place.
		 * @param tasks the messages
		 */
		void received(List<DeliveryTask> tasks);

		/**
		 * A message was read whose record has another form than this version writes.
		 * @param task the message, without content
		 * @param problem what is wrong with it
		 */
		void unreadable(DeliveryTask task, RuntimeException problem);

		/**
		 * A pause of the partition for all processes has begun or ended.
		 * @param paused whether it has begun
		 */
		void pauseTurned(boolean paused);

	}

	Partition partition() {
		return this.partition;
	}

	/**
	 * When the read that is under way was sent, {@link #NOT_READING} if there is none.
	 */
	long readingSince() {
		return this.readingSince;
	}

	void start() {
		this.loop.start();
	}

	/** There is something to read. */
	void signal() {
		this.signalled = true;
		this.loop.wakeUp();
	}

	/** Others have seen that there is nothing to read. */
	void empty(long asOfNanos) {
		this.empty.seen(asOfNanos);
	}

	/** The partition is paused for all processes, or is not. */
	void pausedForAll(boolean now) {
		if (now) {
			this.pausedNanos = System.nanoTime();
		}
		if (this.paused != now) {
			this.paused = now;
			this.receiver.pauseTurned(now);
			if (!now) {
				signal();
			}
		}
	}

	/** Whether the partition is paused for all processes, as far as that is known. */
	boolean isPausedForAll() {
		return this.paused;
	}

	/** A place became free. */
	void permitFreed() {
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
		long backstop = this.reading.backstop().toNanos();
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(backstop);
		}
		long sinceRead = System.nanoTime() - this.lastReadNanos;
		long quiet = Math.max(backstop - sinceRead, this.empty.left(backstop));
		if (quiet <= 0 || sinceRead >= Signals.LONGEST_QUIET.toNanos()) {
			this.signalled = true;
		}
		while (this.signalled && !this.closed && this.gate.isOpen() && this.receiver.isOpen(this.partition)
				&& !isLeftAlone()) {
			int room = this.permits.take(this.receiver.isCautious() ? 1 : this.reading.most());
			if (room == 0) {
				break;
			}
			// Before the read: what is swept during it tells again
			this.signalled = false;
			if (read(room) == room) {
				this.signalled = true;
			}
			this.lastReadNanos = System.nanoTime();
		}
		return (quiet > 0) ? quiet : backstop;
	}

	private boolean isLeftAlone() {
		return this.reading.ready().isLayoutForeign(this.partition);
	}

	private int read(int room) {
		int kept = 0;
		try {
			this.reading.enter().run();
			if (!this.rightsChecked) {
				this.reading.ready().checkRights(this.partition);
				this.rightsChecked = true;
			}
			long asked = System.nanoTime();
			this.readingSince = asked;
			Read read = this.reading.ready().read(this.partition, this.reading.consumer(), room);
			Lease lease = new Lease(read.nowMicros(), asked, System.nanoTime(), this.visibilityTimeout.get());
			if (read.paused() || asked - this.pausedNanos > 0) {
				pausedForAll(read.paused());
			}
			ReadResult result = ReadResult.of(read, (entry, message) -> task(entry, message, lease));
			// Only now: what is in flight and not taken in below would be kept for ever
			result.tasks().forEach(this.inFlight::add);
			result.unreadable().forEach((one) -> this.inFlight.add(one.task()));
			kept = result.kept();
			result.unreadable().forEach((one) -> this.receiver.unreadable(one.task(), one.problem()));
			this.receiver.received(result.tasks());
			if (!result.leftovers().isEmpty()) {
				this.reading.ready().release(this.partition, result.leftovers());
			}
			this.reading.lostMessageLog().report(result.lost());
			this.reading.newerRecordLog().report(result.newer());
			return read.entries().size();
		}
		catch (StoreException failure) {
			this.signalled = true;
			if (failure.isRedisLost()) {
				this.gate.lost(failure);
			}
			// To enter the queue other partitions are asked too: theirs is a failure here
			if (failure.isLayoutForeign() && isLeftAlone()) {
				return 0;
			}
			throw failure;
		}
		finally {
			this.readingSince = NOT_READING;
			this.permits.giveBack(room - kept);
		}
	}

	private DeliveryTask task(Entry entry, MessageRecord message, Lease lease) {
		return new DeliveryTask(this.partition, entry, message, this.reading.retry(), lease);
	}

}
