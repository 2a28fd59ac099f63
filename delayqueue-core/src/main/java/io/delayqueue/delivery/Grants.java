package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.Budgets.Demand;
import io.delayqueue.store.Budgets.Grant;
import io.delayqueue.store.Leases;
import io.delayqueue.store.ReadyMessages.Allowance;
import io.delayqueue.store.ReadyMessages.Read;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Gets the grants of one reader if its queue has a rate limit or a limit of messages in
 * flight. A grant permits the reader to read a number of messages; it comes from the
 * budget that all readers of the queue share in Redis. Used only by the task of the
 * reader.
 *
 * <ol>
 * <li>Before a read, the reader asks for a grant of as many messages as it has permits of
 * this process;</li>
 * <li>the call that reads the messages delivers none after the end of the grant, by the
 * clock of Redis, so that a process that was frozen does not use an old grant;</li>
 * <li>until the end of a grant without tokens, the reader reads another message for each
 * message that is settled, without a call to the budget;</li>
 * <li>a reader that gets no message asks again at the time that the budget has set for
 * it, or, if it waits for a permit, when one of its messages is settled or another reader
 * has returned a permit;</li>
 * <li>when the reader has nothing more to read, it returns the tokens and permits that it
 * has not used.</li>
 * </ol>
 */
final class Grants {

	private static final Log logger = LogFactory.getLog(Grants.class);

	/**
	 * After this time a reader asks again: the rate may have changed, or the signal that
	 * a permit is free may be lost.
	 */
	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The shortest time between two checks whether lost messages are released. */
	private static final long UNKNOWN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/** After this number of reads in a row that arrive too late, a warning is logged. */
	private static final int MANY_LATE_READS = 20;

	private static final long SAFE_SIDE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The longest time between two reports while messages are in flight. */
	private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** The shortest lease of permits in the budget; readers report before it ends. */
	private static final Duration LEAST_LEASE = Duration.ofSeconds(15);

	// immutable

	private final PartitionState partition;

	private final ConsumerState state;

	private final Budgets budgets;

	private final Leases leases;

	private final Wakeups wakeups;

	private final FlowSettings settings;

	private final TaskPool tasks;

	/**
	 * The names of the consumer and of its process in the list of members, and the
	 * partition.
	 */
	private final String reader;

	private final Duration lease;

	// accessed only by the task of the reader

	private boolean limited;

	/**
	 * The number of the last request to the budget. The first number is random, because
	 * Redis may still store the last request of an earlier reader of the same name.
	 */
	private long calls = ThreadLocalRandom.current().nextLong(1L << 40);

	private boolean hasAsked;

	/** Whether each message uses a token. */
	private boolean rated;

	/** The number of tokens of the last grant that are not used. */
	private int unused;

	/** The number of messages in flight that the budget counts for this reader. */
	private int counted;

	/** Whether the last grant was for fewer messages than the reader wanted. */
	private boolean isShort;

	/** The most messages that the read under way delivers. */
	private int reading;

	private long askedNanos;

	private long validUntilNanos = System.nanoTime();

	/** The end of the grant of the last read by the clock of the partition's Redis. */
	private long validUntilMicros;

	/** Whether the last grant had ended before its read reached Redis. */
	private boolean isLate;

	/** The number of reads in a row that reached Redis after the end of their grants. */
	private int lateReads;

	/**
	 * Whether the budget has set the time at which the reader asks again; if not, the
	 * reader waits for a permit.
	 */
	private boolean hasTurn;

	/** When the reader asks again at the latest. */
	private long retryAtNanos = System.nanoTime();

	private long silentCheckedNanos = Signals.longAgo();

	/**
	 * The number of messages that Redis may have delivered in replies that were lost. The
	 * reader reads nothing until a lease renewal that began after {@code unknownSince}
	 * has released these messages.
	 */
	private int unknown;

	private long unknownSince;

	/** The time that the partition's Redis reported last, and when the report arrived. */
	private long redisMicros;

	private long redisNanos;

	// shared and safe

	/** A silent reader that has no pending messages, empty if none was found. */
	private final AtomicReference<String> gone = new AtomicReference<>("");

	private final AtomicBoolean isChecking = new AtomicBoolean();

	Grants(PartitionState partition, ConsumerState state, Budgets budgets, Leases leases, Wakeups wakeups,
			TaskPool tasks) {
		this.partition = partition;
		this.tasks = tasks;
		this.state = state;
		this.budgets = budgets;
		this.leases = leases;
		this.wakeups = wakeups;
		QueueSettings queue = state.settings();
		this.settings = queue.flow();
		this.limited = this.settings.isLimited();
		this.reader = state.consumer() + "/" + wakeups.member() + "/" + partition.partition().place();
		this.lease = (queue.visibilityTimeout().compareTo(LEAST_LEASE) > 0) ? queue.visibilityTimeout() : LEAST_LEASE;
	}

	/** Whether the reader may read messages only with a grant. */
	boolean areNeeded() {
		return this.limited;
	}

	/**
	 * Returns the time until a call of {@link #take} that has returned 0 may return more,
	 * ns; 0 or less if it may return more now.
	 */
	long retryNanos() {
		return hasFreePermit() ? 0 : this.retryAtNanos - System.nanoTime();
	}

	/**
	 * Whether a message was settled since the reader waits for a permit. A reader that
	 * waits for a token has its turn to ask again.
	 */
	private boolean hasFreePermit() {
		return waitsForPermit() && this.counted > inFlight();
	}

	private boolean waitsForPermit() {
		return this.unknown == 0 && !this.hasTurn;
	}

	/**
	 * Returns how many messages the reader may read now. Asks for a grant, unless the
	 * last grant is still valid, or the reader must wait for its turn to get a token.
	 */
	int take(int wanted) {
		this.reading = 0;
		if (!this.limited || wanted == 0) {
			return wanted;
		}
		checkUnknown();
		long now = System.nanoTime();
		if (this.unknown > 0) {
			this.retryAtNanos = now + waitNanos();
		}
		else if (this.hasTurn && this.retryAtNanos - now > 0) {
			return 0;
		}
		else if (isReusable() && this.validUntilNanos - now > 0 && (this.isShort || hasFreePermit())) {
			this.reading = Math.max(0, Math.min(wanted, this.counted - inFlight()));
			this.retryAtNanos = this.validUntilNanos;
		}
		else {
			this.reading = ask(wanted);
		}
		return this.reading;
	}

	private boolean isReusable() {
		return this.settings.maxInFlight() > 0 && !this.rated;
	}

	private int ask(int wanted) {
		long asked = System.nanoTime();
		this.askedNanos = asked;
		this.hasAsked = true;
		int inFlight = inFlight();
		int unused = this.unused;
		// Set these fields before the call, whose reply may be lost: the reader must not
		// return the same tokens twice, and must return all wanted permits unused
		this.unused = 0;
		this.counted = (this.settings.maxInFlight() > 0) ? inFlight + wanted : 0;
		this.validUntilNanos = asked;
		Grant grant = this.budgets.ask(this.state.queue(), new Demand(this.reader, ++this.calls, inFlight, unused,
				wanted, this.gone.getAndSet(""), this.isLate ? this.lateReads : 0), this.settings, this.lease);
		this.limited = grant.isLimited();
		this.rated = grant.isRated();
		this.unused = this.rated ? grant.messages() : 0;
		this.counted = (this.settings.maxInFlight() > 0) ? inFlight + grant.messages() : 0;
		if (wanted > 0) {
			this.isShort = grant.messages() < wanted;
			this.isLate &= grant.messages() == 0;
			this.validUntilNanos = asked + grant.validNanos();
			this.hasTurn = grant.waitNanos() > 0;
			long wait = this.hasTurn ? Math.min(grant.waitNanos(), LONGEST_RETRY_NANOS) : LONGEST_RETRY_NANOS;
			this.retryAtNanos = System.nanoTime() + wait;
		}
		if (this.redisMicros == 0 || Budgets.isHome(this.partition.partition())) {
			// If the partition is not in the cluster slot of the budget, this time is
			// only an estimate, because another Redis server may have the partition
			this.redisMicros = grant.nowMicros();
			this.redisNanos = Budgets.isHome(this.partition.partition()) ? asked : System.nanoTime();
		}
		if (grant.messages() < wanted) {
			this.state.throttled();
		}
		wake(grant.waiting());
		check(grant.silent());
		return grant.messages();
	}

	/**
	 * Returns the limits of the next read. The read delivers no message after the end of
	 * the grant, by the clock of the partition's Redis server. If the queue limits the
	 * messages in flight, the repetition of a read whose reply was lost delivers no
	 * message. If the budget has just reported that the queue has no limits, the
	 * partition delivers messages even if a removal of the rate limit has left it marked
	 * as limited.
	 */
	Allowance allowance() {
		boolean isGranted = this.limited || (this.hasAsked && this.validUntilNanos - System.nanoTime() > 0);
		int held = (this.settings.maxInFlight() > 0) ? held() : -1;
		long micros = this.redisMicros + TimeUnit.NANOSECONDS.toMicros(this.validUntilNanos - this.redisNanos);
		this.validUntilMicros = (this.redisMicros > 0) ? micros : Long.MAX_VALUE / 1000;
		return isGranted ? new Allowance(this.validUntilMicros, held) : Allowance.UNLIMITED;
	}

	/** Whether the last grant had ended before the read with this grant reached Redis. */
	boolean isLate() {
		return this.isLate;
	}

	/** Records the reply of a read, and how many of its messages used a token. */
	void delivered(Read read, int tokens) {
		if (this.reading > 0) {
			this.isLate = this.limited && read.nowMicros() > this.validUntilMicros;
			this.lateReads = this.isLate ? this.lateReads + 1 : 0;
		}
		if (this.isLate && this.lateReads == MANY_LATE_READS) {
			logger.warn("Messages of queue '" + this.state.queue() + "' wait although its limits permit them: calls to "
					+ "Redis take so long that reads arrive when their permission has ended");
		}
		this.redisMicros = read.nowMicros();
		this.redisNanos = System.nanoTime();
		this.limited |= read.limited();
		if (read.state() == Read.State.UNKNOWN_PENDING) {
			lost();
		}
		this.unused = Math.max(0, this.unused - tokens);
	}

	/**
	 * Records that it is unknown which messages a read has delivered, because the reply
	 * of the read is lost.
	 */
	void lost() {
		this.unknown += (this.settings.maxInFlight() > 0) ? this.reading : 0;
		this.unknownSince = System.nanoTime() + SAFE_SIDE_NANOS;
		this.unused = 0;
	}

	/**
	 * Stops counting the messages of lost replies when a lease renewal has released them,
	 * and requests this renewal if it is overdue.
	 */
	private void checkUnknown() {
		if (this.unknown > 0 && this.partition.isKnownSince(this.unknownSince)) {
			this.unknown = 0;
		}
		else if (this.unknown > 0 && unknownNanos() <= 0) {
			this.partition.renewSoon();
		}
	}

	private long unknownNanos() {
		return this.unknownSince - System.nanoTime();
	}

	/** Returns the time until the next check whether lost messages are released, ns. */
	long waitNanos() {
		return (this.unknown > 0) ? Math.max(unknownNanos(), UNKNOWN_NANOS) : Long.MAX_VALUE;
	}

	/**
	 * Returns unused tokens and permits to the budget, and reports how many messages are
	 * still in flight.
	 * @param waits whether the reader waits for tokens or a permit: in the second case it
	 * keeps the permit of a message that was settled meanwhile, to read with it
	 */
	void report(boolean waits) {
		checkUnknown();
		boolean isHeld = this.counted > 0 && System.nanoTime() - this.askedNanos > REPORT_NANOS;
		boolean keepsPermits = waits && !this.isLate && waitsForPermit();
		if (this.limited && (this.unused > 0 || (!keepsPermits && this.counted > inFlight()) || isHeld)) {
			try {
				ask(0);
			}
			catch (StoreException failure) {
				this.state.gate().failed(failure);
				throw failure;
			}
		}
	}

	/** Returns all tokens and permits to the budget, after the last settlement. */
	void leave() {
		if (this.limited && this.hasAsked && this.state.gate().isOpen()) {
			try {
				ask(0);
			}
			catch (StoreException failure) {
				logger.debug("The permits of partition " + this.partition.partition() + " are returned later", failure);
			}
		}
	}

	private int inFlight() {
		return held() + this.unknown;
	}

	private int held() {
		return this.partition.held().size();
	}

	private void wake(String waiting) {
		if (!waiting.isEmpty()) {
			this.wakeups.readable(partitionOf(waiting),
					waiting.substring(waiting.indexOf('/') + 1, waiting.lastIndexOf('/')));
		}
	}

	/**
	 * Checks, once a second at most, whether a silent reader has no pending messages.
	 * Another thread calls Redis, because the partition of the silent reader may be on a
	 * server that hangs.
	 */
	private void check(String silent) {
		long now = System.nanoTime();
		if (!silent.isEmpty() && now - this.silentCheckedNanos >= LONGEST_RETRY_NANOS
				&& this.isChecking.compareAndSet(false, true)) {
			this.silentCheckedNanos = now;
			this.tasks.execute("delayqueue-silent-" + this.partition.partition(), () -> {
				try {
					String reader = silent.substring(0, silent.lastIndexOf('|'));
					if (this.leases.of(partitionOf(reader), reader.substring(0, reader.indexOf('/')), "").isEmpty()) {
						this.gone.set(silent);
					}
				}
				catch (StoreException failure) {
					logger.debug("The silent reader " + silent + " is checked again", failure);
				}
				finally {
					this.isChecking.set(false);
				}
			});
		}
	}

	private Partition partitionOf(String reader) {
		return Partition.at(this.state.queue(), reader.substring(reader.lastIndexOf('/') + 1));
	}

}
