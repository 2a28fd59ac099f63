package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.fleet.SweepNotifier;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.Budgets.Demand;
import io.delayqueue.store.Budgets.Grant;
import io.delayqueue.store.Due;
import io.delayqueue.store.Leases;
import io.delayqueue.store.ReadyMessages.Allowance;
import io.delayqueue.store.ReadyMessages.Read;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Gets the grants of one reader if its queue has a rate limit or a limit of messages in
 * flight. A grant permits the reader to read a number of messages; it comes from the
 * budget that all readers of the queue share in Redis. Used only by the loop thread of
 * the reader.
 *
 * <ol>
 * <li>Before a read, the reader asks for a grant of as many messages as it has
 * permits;</li>
 * <li>the call that reads the messages delivers none after the end of the grant, by the
 * clock of Redis, so that a process that was frozen does not use an old grant;</li>
 * <li>after the read, the reader returns the tokens that it has not used, and reports to
 * the budget when messages are no longer in flight.</li>
 * </ol>
 */
final class Grants {

	private static final Log logger = LogFactory.getLog(Grants.class);

	private static final long VALIDITY_NANOS = Budgets.VALIDITY.toNanos();

	/** How long a reader waits after a grant for zero messages, unless it is woken. */
	private static final long NO_PERMITS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	/** After this time a reader asks for tokens again: other readers may return some. */
	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

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

	private final SweepNotifier notifier;

	private final FlowSettings settings;

	private final String reader;

	private final Duration lease;

	// accessed only by the loop thread of the reader

	private boolean limited;

	/**
	 * The number of the last request to the budget. The first number is random, because
	 * Redis may still store the last request of an earlier reader of the same name.
	 */
	private long calls = ThreadLocalRandom.current().nextLong(1L << 40);

	private boolean hasAsked;

	/** The number of messages that the last grant still allows. */
	private int unused;

	/** The number of messages in flight that the budget counts for this reader. */
	private int counted;

	private long askedNanos;

	private long validUntilNanos;

	private long retryNanos;

	private String gone = "";

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

	Grants(PartitionState partition, ConsumerState state, Budgets budgets, Leases leases, SweepNotifier notifier) {
		this.partition = partition;
		this.state = state;
		this.budgets = budgets;
		this.leases = leases;
		this.notifier = notifier;
		QueueSettings queue = state.settings();
		this.settings = queue.flow();
		this.limited = this.settings.isLimited();
		this.reader = state.consumer() + "/" + partition.partition().place();
		this.lease = (queue.visibilityTimeout().compareTo(LEAST_LEASE) > 0) ? queue.visibilityTimeout() : LEAST_LEASE;
	}

	/** Whether the reader may read messages only with a grant. */
	boolean areNeeded() {
		return this.limited;
	}

	/** Returns how long the reader waits after a grant for zero messages, ns. */
	long retryNanos() {
		return this.retryNanos;
	}

	/** Asks for a grant, and returns how many messages the reader may read now. */
	int take(int wanted) {
		if (!this.limited || wanted == 0) {
			return wanted;
		}
		checkUnknown();
		if (this.unknown > 0) {
			this.retryNanos = waitNanos();
			return 0;
		}
		return ask(wanted);
	}

	private int ask(int wanted) {
		long asked = System.nanoTime();
		this.askedNanos = asked;
		this.hasAsked = true;
		int inFlight = inFlight();
		int unused = this.unused;
		// Set both numbers before the call, whose reply may be lost: the reader must not
		// return the same tokens twice, but must later return all wanted permits
		this.unused = 0;
		this.counted = (this.settings.maxInFlight() > 0) ? inFlight + wanted : 0;
		Grant grant = this.budgets.ask(this.state.queue(),
				new Demand(this.reader, ++this.calls, inFlight, unused, wanted, this.gone), this.settings, this.lease);
		this.limited = grant.isLimited();
		this.unused = this.limited ? grant.messages() : 0;
		this.counted = (this.settings.maxInFlight() > 0) ? inFlight + grant.messages() : 0;
		this.validUntilNanos = asked + VALIDITY_NANOS;
		if (this.redisMicros == 0) {
			// This time is only an estimate, because the partition may be on another
			// Redis server than the budget
			this.redisMicros = grant.nowMicros();
			this.redisNanos = System.nanoTime();
		}
		this.retryNanos = (grant.retryAtMillis() > 0)
				? Math.min(LONGEST_RETRY_NANOS, Due.leftNanos(grant.retryAtMillis(), grant.nowMicros()))
				: NO_PERMITS_NANOS;
		if (wanted > grant.messages()) {
			this.state.throttled();
		}
		wake(grant.waiting());
		String silent = grant.silent();
		this.gone = silent.isEmpty() || isPending(silent.substring(0, silent.lastIndexOf('|'))) ? "" : silent;
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
		String known = (this.settings.maxInFlight() > 0) ? this.partition.lastEntry() : "";
		return isGranted ? new Allowance(validUntilMillis(), known) : Allowance.UNLIMITED;
	}

	private long validUntilMillis() {
		long micros = this.redisMicros + TimeUnit.NANOSECONDS.toMicros(this.validUntilNanos - this.redisNanos);
		return (this.redisMicros > 0) ? micros / 1000 : Long.MAX_VALUE / 1000;
	}

	/** Records the reply of a read, and how many of its messages used a token. */
	void delivered(Read read, int tokens) {
		this.redisMicros = read.nowMicros();
		this.redisNanos = System.nanoTime();
		this.limited |= read.limited();
		if (read.state() == Read.State.UNHEARD) {
			lost();
		}
		else if (!read.entries().isEmpty()) {
			this.partition.lastEntry(read.entries().get(read.entries().size() - 1).entry());
		}
		this.unused = Math.max(0, this.unused - tokens);
	}

	/**
	 * Records that it is unknown which messages a read has delivered, because the reply
	 * of the read is lost.
	 */
	void lost() {
		this.unknown += (this.settings.maxInFlight() > 0) ? this.unused : 0;
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
		return (this.unknown > 0) ? Math.max(unknownNanos(), NO_PERMITS_NANOS) : Long.MAX_VALUE;
	}

	/**
	 * Returns unused tokens to the budget, and reports how many messages are still in
	 * flight.
	 */
	void report() {
		checkUnknown();
		boolean isHeld = this.counted > 0 && System.nanoTime() - this.askedNanos > REPORT_NANOS;
		if (this.limited && (this.unused > 0 || this.counted > inFlight() || isHeld)) {
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
		return this.state.held(this.partition.partition()).size() + this.unknown;
	}

	private void wake(String waiting) {
		if (!waiting.isEmpty()) {
			this.notifier.readable(partitionOf(waiting));
		}
	}

	private boolean isPending(String silent) {
		return !this.leases.of(partitionOf(silent), silent.substring(0, silent.lastIndexOf('/')), "").isEmpty();
	}

	private Partition partitionOf(String reader) {
		return Partition.at(this.state.queue(), reader.substring(reader.lastIndexOf('/') + 1));
	}

}
