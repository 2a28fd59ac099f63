package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Finds out which message kills its process, and delays other messages little. All
 * consumers of a process share one instance. Safe for use by several threads.
 *
 * <p>
 * A crash counts for each message that the process held, because any of them, or none,
 * may be the cause. A message is a suspect when it has crashed twice, or once if
 * {@code max-crashes} is 1 or 2.
 * <ol>
 * <li>A message that is no suspect is handled like any other one, also in batches.
 * Messages with crashes occupy all permits of a consumer but one, so that other messages
 * still begin.</li>
 * <li>A process has one suspect at a time, which is a handler call of its own, and
 * releases further suspects for later.</li>
 * <li>The suspect waits until no consumer of the process runs a handler. Meanwhile no
 * other message begins, for at most one <em>slice</em>: half a second. If the suspect
 * could not begin, it is released.</li>
 * <li>The suspect begins alone, and Redis stores this with the delivery. No other message
 * begins for one slice. After the slice, the first other message that is to begin first
 * removes this from Redis.</li>
 * <li>When other messages have waited for a quarter of a second or longer, the next
 * suspect first lets them begin for as long as they have waited, and for five seconds
 * more if the suspect before could not begin.</li>
 * <li>A message becomes a dead letter only by a crash while it ran alone, and only if
 * this crash was at least its {@code max-crashes}-th. So no message becomes a dead letter
 * because of another message, however many of them kill processes, and a message that
 * kills its process at once becomes one at its {@code max-crashes}-th crash, at the
 * earliest at its second.</li>
 * <li>If a process has not been idle since it released a suspect one visibility timeout
 * ago, a suspect begins beside other messages. Its crash then counts, but does not make
 * it a dead letter.</li>
 * <li>With each crash that counts from {@code max-crashes} on, the slice of the message
 * is four times as long, at most as long as the handler timeout. In this time all other
 * handlers end, so a message that always kills its process runs alone at last.</li>
 * </ol>
 */
final class SuspectIsolation {

	/** Returned by {@link #leftNanos} while no suspect waits or keeps others waiting. */
	static final long NEVER = Long.MAX_VALUE;

	private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/**
	 * If other messages have waited for longer, the next suspect lets them begin first.
	 */
	private static final long PATIENCE_NANOS = SLICE_NANOS / 2;

	/** If other messages could begin for a shorter time only, they still wait. */
	private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	/** For how much longer others do not wait after a suspect was released. */
	private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(5);

	/**
	 * Released suspects come back soon. If none had to be released for longer than this
	 * time, the process has been idle or has had no suspect.
	 */
	private static final long SERIES_NANOS = TimeUnit.SECONDS.toNanos(30);

	/** Each consumer: whether it runs no handler. */
	private final List<BooleanSupplier> idle = new CopyOnWriteArrayList<>();

	/** Each consumer: the callback that makes it read again. */
	private final List<Runnable> onOpen = new CopyOnWriteArrayList<>();

	// guarded by this; without a suspect no method needs the lock

	private volatile @Nullable Suspect suspect;

	private Stage stage = Stage.WAITS;

	/** When the suspect entered its stage, by {@link System#nanoTime()}. */
	private long sinceNanos;

	/** When a suspect was last released because it could not begin alone. */
	private long givenUpNanos = System.nanoTime() - SERIES_NANOS;

	/** When the first of the suspects was released that could not begin alone. */
	private long stuckSinceNanos;

	/** Since when other messages have waited for suspects. */
	private long waitedSinceNanos;

	/** When other messages could begin again. */
	private long openedNanos = System.nanoTime() - SERIES_NANOS;

	/** Until when no suspect may keep others waiting. */
	private long restUntilNanos = System.nanoTime();

	/**
	 * The suspect of a process.
	 *
	 * @param task the delivery
	 * @param consumer the name of its consumer in the consumer group
	 * @param begin passes the suspect to a worker
	 */
	record Suspect(DeliveryTask task, String consumer, Runnable begin) {
	}

	/** The progress of the suspect. */
	private enum Stage {

		/** The suspect has not begun, because other messages may begin first. */
		RESTS,
		/** The suspect has not begun, and no other message begins. */
		WAITS,
		/** The suspect has begun, and no other message begins. */
		ALONE,
		/** The suspect runs alone, and other messages may begin. */
		OPEN,
		/** The suspect has begun, and other messages have begun or may have. */
		BESIDE_OTHERS

	}

	/** Adds a consumer, which reports whether it is idle, and reads when it may again. */
	void register(BooleanSupplier isIdle, Runnable readable) {
		this.idle.add(isIdle);
		this.onOpen.add(readable);
	}

	/** Removes a consumer that has stopped, with the suspect that it may have. */
	void forget(BooleanSupplier isIdle, Runnable readable, String consumer) {
		this.idle.remove(isIdle);
		this.onOpen.remove(readable);
		synchronized (this) {
			if (!isOf(consumer)) {
				return;
			}
			this.suspect = null;
		}
		open();
	}

	/**
	 * Accepts a suspect, which then waits to run alone.
	 * @return {@code false} if the process has another suspect
	 */
	synchronized boolean admit(Suspect added) {
		if (this.suspect != null) {
			return false;
		}
		enter(Stage.RESTS);
		this.suspect = added;
		advance(added.consumer());
		return true;
	}

	/** Whether messages that are not suspects may be read and may begin. */
	boolean isOpen() {
		if (this.suspect == null) {
			return true;
		}
		synchronized (this) {
			return this.suspect == null || (this.stage != Stage.WAITS && this.stage != Stage.ALONE);
		}
	}

	/**
	 * Whether the given delivery must not begin now, because another delivery is the
	 * suspect and waits or runs alone.
	 */
	boolean bars(DeliveryTask task) {
		Suspect current = this.suspect;
		return current != null && current.task() != task && !isOpen();
	}

	/** Begins the suspect that waits, if no consumer of the process runs a handler. */
	void beginIfAlone() {
		Suspect waiting = this.suspect;
		if (waiting == null) {
			return;
		}
		synchronized (this) {
			waiting = (this.stage == Stage.WAITS) ? this.suspect : null;
		}
		if (waiting != null && isIdle()) {
			waiting.begin().run();
		}
	}

	/**
	 * Marks the suspect of a consumer as begun.
	 * @param consumer the name of the consumer
	 * @return the suspect, {@code null} if the consumer has no suspect that has not begun
	 */
	synchronized @Nullable DeliveryTask begin(String consumer) {
		if (this.stage == Stage.RESTS && isOf(consumer)) {
			awaitOthers();
		}
		Suspect waiting = waiting(consumer);
		if (waiting == null) {
			return null;
		}
		this.givenUpNanos = System.nanoTime() - SERIES_NANOS;
		enter(Stage.ALONE);
		return waiting.task();
	}

	/**
	 * Returns the suspect that runs alone, {@code null} if there is none. Before another
	 * message begins, Redis must store that the suspect no longer runs alone.
	 */
	@Nullable Suspect alone() {
		if (this.suspect == null) {
			return null;
		}
		synchronized (this) {
			return (this.stage == Stage.ALONE || this.stage == Stage.OPEN) ? this.suspect : null;
		}
	}

	/** Records that Redis stores that the suspect no longer runs alone. */
	synchronized void accompanied(Suspect beside) {
		if (beside.equals(this.suspect)) {
			enter(Stage.BESIDE_OTHERS);
		}
	}

	/**
	 * Returns the time until {@link #advance}, {@link #giveUp} or {@link #join} is due.
	 * @param consumer the name of the consumer whose suspect is meant
	 * @return ns; {@link #NEVER} if none of them is due
	 */
	synchronized long leftNanos(String consumer) {
		Suspect current = this.suspect;
		if (current == null || !isOf(consumer)) {
			return NEVER;
		}
		if (this.stage == Stage.RESTS) {
			return this.restUntilNanos - System.nanoTime();
		}
		if (isOpen()) {
			return NEVER;
		}
		return sliceNanos(current.task()) - (System.nanoTime() - this.sinceNanos);
	}

	/**
	 * Marks the suspect of a consumer as begun beside other messages, if it has waited
	 * for a slice, and suspects have not been able to begin for one visibility timeout.
	 * @param consumer the name of the consumer
	 * @return the suspect, {@code null} if there is no such suspect
	 */
	@Nullable DeliveryTask join(String consumer) {
		Suspect joining;
		synchronized (this) {
			joining = waiting(consumer);
			if (joining == null || leftNanos(consumer) > 0 || !isInSeries()
					|| System.nanoTime() - this.stuckSinceNanos < joining.task().visibilityTimeout().toNanos()) {
				return null;
			}
			enter(Stage.BESIDE_OTHERS);
			rest(0);
		}
		open();
		return joining.task();
	}

	/**
	 * Removes the suspect of a consumer if it has waited for a slice.
	 * @param consumer the name of the consumer
	 * @return the suspect, {@code null} if there is no such suspect
	 */
	@Nullable DeliveryTask giveUp(String consumer) {
		Suspect waited;
		synchronized (this) {
			waited = waiting(consumer);
			if (waited == null || leftNanos(consumer) > 0) {
				return null;
			}
			long now = System.nanoTime();
			this.stuckSinceNanos = isInSeries() ? this.stuckSinceNanos : now;
			this.givenUpNanos = now;
			this.suspect = null;
			rest(REST_NANOS);
		}
		open();
		return waited.task();
	}

	/**
	 * Allows other messages to begin if the suspect of a consumer has run for one slice.
	 * Lets other messages wait for the suspect if they had time to begin before it.
	 */
	void advance(String consumer) {
		synchronized (this) {
			if (leftNanos(consumer) > 0) {
				return;
			}
			if (this.stage == Stage.RESTS) {
				awaitOthers();
				return;
			}
			if (this.stage != Stage.ALONE) {
				return;
			}
			enter(Stage.OPEN);
			rest(0);
		}
		open();
	}

	/** Records that a delivery is settled, which may be the suspect. */
	void ended(DeliveryTask task) {
		Suspect current = this.suspect;
		if (current == null || current.task() != task) {
			return;
		}
		synchronized (this) {
			if (this.stage == Stage.WAITS || this.stage == Stage.ALONE) {
				rest(0);
			}
			this.suspect = null;
		}
		open();
	}

	private void awaitOthers() {
		long now = System.nanoTime();
		if (now - this.openedNanos > GAP_NANOS) {
			this.waitedSinceNanos = now;
		}
		enter(Stage.WAITS);
	}

	/**
	 * Lets other messages begin, and the next suspect rest for the given time or more.
	 */
	private void rest(long nanos) {
		long now = System.nanoTime();
		long waited = now - this.waitedSinceNanos;
		this.openedNanos = now;
		this.restUntilNanos = now + nanos + ((waited > PATIENCE_NANOS) ? waited : 0);
	}

	private boolean isIdle() {
		return this.idle.stream().allMatch(BooleanSupplier::getAsBoolean);
	}

	/** Whether suspects still cannot begin since {@link #stuckSinceNanos}. */
	private boolean isInSeries() {
		return System.nanoTime() - this.givenUpNanos < SERIES_NANOS;
	}

	private @Nullable Suspect waiting(String consumer) {
		return (this.stage == Stage.WAITS && isOf(consumer)) ? this.suspect : null;
	}

	private boolean isOf(String consumer) {
		Suspect current = this.suspect;
		return current != null && current.consumer().equals(consumer);
	}

	private void open() {
		this.onOpen.forEach(Runnable::run);
	}

	private void enter(Stage stage) {
		this.stage = stage;
		this.sinceNanos = System.nanoTime();
	}

	/** Returns for how long a suspect may keep other messages waiting, twice. */
	private static long sliceNanos(DeliveryTask task) {
		int over = Math.max(0, task.failures().crashes() + 1 - Math.max(2, task.retry().maxCrashes()));
		long longest = Math.max(SLICE_NANOS, task.retry().timeout().toNanos());
		return Math.min(longest, SLICE_NANOS << Math.min(2 * over, 30));
	}

}
