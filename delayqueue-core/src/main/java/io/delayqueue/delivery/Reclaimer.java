package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.delayqueue.DurationText;
import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.Leases.Outcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Takes back (reclaims) the pending messages of silent consumers in one partition. A
 * consumer is silent when it has renewed no lease for one visibility timeout. The
 * reclaimer checks for silent consumers every 2 seconds, unless {@code PartitionWatch}
 * has found that no message of the partition is pending. Only the owner of the partition
 * (the process that maintains it) reclaims; another process that holds messages of the
 * partition only checks the clock of Redis and the stored visibility timeout.
 *
 * <p>
 * Redis measures the idle time of a pending entry by its own clock, which may jump. The
 * reclaimer detects a jump as follows:
 * <ol>
 * <li>the first check only records the time of Redis and the monotonic time of this
 * process;</li>
 * <li>each later check compares how far Redis's clock and the monotonic clock of this
 * process have moved since the previous check;</li>
 * <li>if the movements of the two clocks differ by more than a second, and a slow call is
 * not the cause, all leases begin anew, and nothing is reclaimed for one visibility
 * timeout.</li>
 * </ol>
 *
 * <p>
 * A living consumer is silent, too, if Redis was unreachable or refused writes for longer
 * than the visibility timeout. The reclaimer may not notice such an outage by failed
 * calls of its own, so it waits for a series of successful calls:
 * <ol>
 * <li>a first check that finds silent consumers reclaims nothing, and the reclaimer
 * repeats the check every half second;</li>
 * <li>when checks have succeeded for 2 seconds, with no gap longer than 1 second, every
 * living process that can reach Redis has renewed its leases: a renewal that fails is
 * repeated within 1 second;</li>
 * <li>if this process, too, has renewed its leases in these 2 seconds, the reclaimer
 * takes back the messages of consumers that are still silent.</li>
 * </ol>
 * A connection that breaks for less than a second does not interrupt the series of
 * successful checks and delays no reclaim.
 */
final class Reclaimer {

	private static final Log logger = LogFactory.getLog(Reclaimer.class);

	private static final Duration INTERVAL = Duration.ofSeconds(2);

	private static final Duration LONGEST_EMPTY = Duration.ofSeconds(15);

	private static final Duration TOLERANCE = Duration.ofSeconds(1);

	/** The interval between two checks while consumers are silent. */
	private static final Duration SILENT_INTERVAL = Duration.ofMillis(500);

	/**
	 * The time for which checks must succeed before messages are reclaimed: 2 s, twice
	 * the longest pause after which a failed renewal is repeated.
	 */
	private static final Duration RENEWAL_TIME = Duration.ofSeconds(2);

	/**
	 * If more time passes between two successful checks, the reclaimer assumes that Redis
	 * was unreachable in between.
	 */
	private static final Duration LONGEST_GAP = Duration.ofSeconds(1);

	// immutable

	private final PartitionState state;

	private final Partition partition;

	private final ConsumerState consumer;

	private final QueueSettings settings;

	private final RedisGate gate;

	private final Leases leases;

	private final Fleet fleet;

	private final ConsumerLog log;

	private final SettlementListener listener;

	private final FailureNote crashed;

	private final Leases.Rules rules;

	private final Task task;

	// accessed only by the task

	private Seen last = Seen.NEVER;

	/** Whether the last check for silent consumers has succeeded. */
	private boolean hasLooked;

	private Duration stored;

	Reclaimer(PartitionState state, ConsumerState consumer, Leases leases, Fleet fleet, ConsumerLog log,
			SettlementListener listener, TaskPool tasks, String history) {
		this.state = state;
		this.partition = state.partition();
		this.consumer = consumer;
		this.settings = consumer.settings();
		this.gate = consumer.gate();
		this.stored = this.settings.visibilityTimeout();
		this.leases = leases;
		this.fleet = fleet;
		this.log = log;
		this.listener = listener;
		this.crashed = Reason.CRASHED.because("its process fell silent " + this.settings.retry().maxCrashes()
				+ " or more times (max-crashes), the last time while the message ran alone");
		this.rules = new Leases.Rules(this.settings.visibilityTimeout(), this.settings.retry().maxCrashes(),
				this.crashed.text(), TOLERANCE, this.settings.groups().countDead(), history);
		this.task = tasks.task("delayqueue-reclaim-" + this.partition,
				() -> this.gate.run(this::reclaim, INTERVAL::toNanos));
		state.onMessages(this::messagesRead);
	}

	/**
	 * The time of a check for silent consumers, by the clock of Redis and the monotonic
	 * clock of this process.
	 *
	 * @param redisMicros the time of Redis at some moment of the call, us since 1970
	 * @param askedNanos the time of this process before the call, ns
	 * @param answeredNanos the time of this process after the call, ns
	 * @param steadySinceNanos the time of this process since which checks have succeeded
	 * without a gap, ns
	 * @param quietUntilNanos the time of this process until which nothing is reclaimed,
	 * ns
	 */
	private record Seen(long redisMicros, long askedNanos, long answeredNanos, long steadySinceNanos,
			long quietUntilNanos) {

		static final Seen NEVER = new Seen(0, Signals.longAgo(), Signals.longAgo(), System.nanoTime(),
				System.nanoTime());

		/**
		 * Whether a check that is sent at the given time follows this check without a
		 * gap.
		 */
		boolean isFollowedBy(long askedNanos) {
			return askedNanos - this.answeredNanos <= LONGEST_GAP.toNanos();
		}

		/**
		 * Whether the clock of Redis has moved too little or too far since the last
		 * check, compared with the clock of this process.
		 */
		boolean hasJumpedSince(Seen last) {
			long moved = (this.redisMicros - last.redisMicros) * 1000;
			long least = this.askedNanos - last.answeredNanos - TOLERANCE.toNanos();
			long most = this.answeredNanos - last.askedNanos + TOLERANCE.toNanos();
			return moved < least || moved > most;
		}

		Seen quietUntil(long nanos) {
			return new Seen(this.redisMicros, this.askedNanos, this.answeredNanos, this.steadySinceNanos, nanos);
		}

	}

	/**
	 * Returns for how long a partition in which no message was pending needs no check for
	 * silent consumers: a third of the visibility timeout, 2 to 15 s, in ns.
	 */
	static long emptyNanos(Duration visibilityTimeout) {
		return Math.max(INTERVAL.toNanos(), Math.min(LONGEST_EMPTY.toNanos(), visibilityTimeout.toNanos() / 3));
	}

	/**
	 * Requests a check for silent consumers at once: when the consumer starts, and when
	 * Redis answers after an outage, because another server with another clock may
	 * answer.
	 */
	void checkNow() {
		this.task.wake();
	}

	/**
	 * Called when a read has delivered messages. Requests a check at once if checks were
	 * skipped because no message was pending.
	 */
	private void messagesRead() {
		if (emptyFor() > 0) {
			this.state.notEmpty();
			checkNow();
		}
	}

	void stop() {
		this.task.stop();
	}

	private Pause reclaim() {
		boolean owns = this.fleet.isOwner(this.partition);
		long empty = emptyFor();
		if (empty > 0 && maySkipCheck()) {
			return Pause.untried(empty);
		}
		if (!owns && this.consumer.held(this.partition).isEmpty()) {
			return Pause.untried(INTERVAL.toNanos());
		}
		this.hasLooked = false;
		if (System.nanoTime() - this.last.answeredNanos() > Signals.LONGEST_QUIET.toNanos()) {
			// After such a long time without a check, even two correct clocks may differ
			this.last = Seen.NEVER.quietUntil(this.last.quietUntilNanos());
		}
		Found found;
		do {
			found = check(owns);
		}
		while (found.more() && owns && mayTakeBack(System.nanoTime()));
		this.hasLooked = true;
		if ((found.more() && owns) || found.outcome() == Outcome.JUMPED || found.outcome() == Outcome.RECORDED) {
			return Pause.of(SILENT_INTERVAL.toNanos());
		}
		return Pause.of(INTERVAL.toNanos() - ThreadLocalRandom.current().nextLong(INTERVAL.toNanos() / 5));
	}

	private long emptyFor() {
		return this.state.emptyFor(emptyNanos(this.state.visibilityTimeout()));
	}

	private boolean maySkipCheck() {
		return this.hasLooked && System.nanoTime() - this.last.askedNanos() < Signals.LONGEST_QUIET.toNanos();
	}

	/**
	 * Whether messages of silent consumers may be reclaimed, because every living process
	 * has had the time to renew its leases.
	 */
	private boolean mayTakeBack(long askedNanos) {
		return this.last.isFollowedBy(askedNanos) && askedNanos - this.last.steadySinceNanos() >= RENEWAL_TIME.toNanos()
				&& askedNanos - this.last.quietUntilNanos() >= 0
				&& this.state.isRenewedSince(this.last.steadySinceNanos());
	}

	private Found check(boolean owns) {
		long asked = System.nanoTime();
		boolean lookOnly = !owns || !mayTakeBack(asked);
		Found found = this.leases.reclaim(this.partition, owns ? this.rules : this.rules.withoutHistory(), lookOnly,
				this.last.redisMicros(), Duration.ofNanos(asked - this.last.askedNanos()));
		long answered = System.nanoTime();
		boolean steady = this.last.isFollowedBy(asked) && found.outcome() != Outcome.JUMPED;
		Seen now = new Seen(found.nowMicros(), asked, answered, steady ? this.last.steadySinceNanos() : answered,
				this.last.quietUntilNanos());
		remember(found.visibilityTimeout());
		if (found.outcome() == Outcome.JUMPED && now.hasJumpedSince(this.last)) {
			logger.warn("The clock of the Redis that holds partition " + this.partition
					+ " has jumped; all leases begin anew, and nothing is reclaimed for "
					+ DurationText.of(found.visibilityTimeout()));
			if (owns) {
				this.leases.renewAll(this.partition);
			}
			now = now.quietUntil(System.nanoTime() + found.visibilityTimeout().toNanos());
		}
		this.last = now;
		this.listener.reclaimed(this.partition, found.messages(), this.crashed);
		this.log.lost(found.lost());
		if (found.more() && !this.state.isRenewedSince(now.steadySinceNanos())) {
			this.state.renewSoon();
		}
		return found;
	}

	private void remember(Duration stored) {
		Duration ours = this.settings.visibilityTimeout();
		if (!stored.equals(this.stored)) {
			this.stored = stored;
			this.state.visibilityTimeout((stored.compareTo(ours) < 0) ? stored : ours);
			this.state.renewSoon();
			this.log.visibilityTimeout(this.partition, stored, this.leases);
		}
	}

}
