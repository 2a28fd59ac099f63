package io.delayqueue.maintain;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.observe.RepairReport;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Mismatch;
import io.delayqueue.store.Repairs.Page;
import io.delayqueue.store.Repairs.Position;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Maintains one partition.
 * <ol>
 * <li>The audit compares counts, every minute. A mismatch in two audits in a row is
 * repaired at once, unless the last repair has left the same mismatch: then it ends when
 * messages are settled.</li>
 * <li>Repair also checks every id, page by page, once per interval: two faults may hide
 * each other from the audit. With n processes each one runs every nth pass, at
 * random.</li>
 * <li>The janitor removes dead consumers without pending messages, if the partition has
 * several consumers.</li>
 * </ol>
 */
final class PartitionMaintenance {

	private static final Log logger = LogFactory.getLog(PartitionMaintenance.class);

	/** The most pages in a turn. Then the pass rests three times as long as they took. */
	private static final int PAGES_OF_A_TURN = 20;

	private static final int REST = 3;

	private static final long SECOND_AUDIT_NANOS = TimeUnit.SECONDS.toNanos(1);

	// immutable

	private final Partition partition;

	private final Maintainer.Tools tools;

	private final RecurringTurn turn;

	// shared and safe

	private volatile boolean passRequested = true;

	// confined to the turn

	private final RepairReport report;

	private @Nullable Position position;

	private long nextPassNanos;

	private long nextCleaningNanos;

	private boolean suspicious;

	private boolean repaired;

	private @Nullable Mismatch toleratedMismatch;

	private long consumers = 1;

	PartitionMaintenance(Partition partition, Maintainer.Tools tools) {
		this.partition = partition;
		this.tools = tools;
		this.report = new RepairReport(partition);
		this.nextCleaningNanos = System.nanoTime();
		this.turn = tools.threads().turn("The maintenance of partition " + partition, this::turn);
	}

	LoopStatus status() {
		return this.turn.status();
	}

	void stop() {
		this.turn.stop();
	}

	/** Requests a pass soon, at a random time, so that processes differ. */
	void soon() {
		this.passRequested = true;
		long nanos = this.tools.settings().auditInterval().toNanos();
		this.turn.dueIn(nanos / 4 + ThreadLocalRandom.current().nextLong(nanos));
	}

	private long turn() {
		return this.tools.gate().turn(this::work, () -> jittered(this.tools.settings().auditInterval()));
	}

	private long work() {
		try {
			if (this.position == null && isPassDue()) {
				this.position = Position.BEGIN;
			}
			return (this.position != null) ? repair(this.position) : audit();
		}
		catch (StoreException failure) {
			// Another server may have replaced it, where the cursor has no meaning
			this.position = null;
			this.passRequested = true;
			this.report.log();
			throw failure;
		}
	}

	private boolean isPassDue() {
		boolean requested = this.passRequested;
		if (!requested && System.nanoTime() - this.nextPassNanos < 0) {
			return false;
		}
		this.passRequested = false;
		this.nextPassNanos = System.nanoTime() + jittered(this.tools.settings().interval());
		return requested || ThreadLocalRandom.current().nextLong(this.consumers) == 0;
	}

	private long repair(Position from) {
		long began = System.nanoTime();
		Position position = from;
		for (int page = 0; page < PAGES_OF_A_TURN && !position.isEnd(); page++) {
			Page done = this.tools.redis().repairs().repair(this.partition, position);
			position = done.next();
			if (this.report.add(done.repaired(), this.tools.observer())) {
				this.tools.signals().due(this.partition.queue(), this.partition.number(), 0);
			}
		}
		if (!position.isEnd()) {
			this.position = position;
			return Math.max(1, REST * (System.nanoTime() - began));
		}
		this.position = null;
		this.repaired = this.report.log() || this.suspicious;
		this.suspicious = false;
		return this.repaired ? SECOND_AUDIT_NANOS : untilNext();
	}

	private long audit() {
		Counts counts = this.tools.redis().repairs().audit(this.partition);
		Mismatch mismatch = counts.mismatch();
		this.consumers = Math.max(1, counts.consumers());
		removeDeadConsumers();
		if (mismatch.isNone()) {
			this.toleratedMismatch = null;
			this.suspicious = false;
		}
		else if (this.repaired) {
			this.toleratedMismatch = mismatch;
			logger.debug("Partition " + this.partition + " was repaired; the rest ends when its messages are settled: "
					+ mismatch);
		}
		else if (!mismatch.equals(this.toleratedMismatch)) {
			if (this.suspicious) {
				logger.warn("The counts of partition " + this.partition + " do not add up: " + counts
						+ "; repairing it now");
				this.passRequested = true;
				return 0;
			}
			this.suspicious = true;
			return SECOND_AUDIT_NANOS + ThreadLocalRandom.current().nextLong(SECOND_AUDIT_NANOS);
		}
		this.repaired = false;
		return untilNext();
	}

	private void removeDeadConsumers() {
		if (this.consumers > 1 && System.nanoTime() - this.nextCleaningNanos >= 0) {
			this.nextCleaningNanos = System.nanoTime() + jittered(this.tools.settings().interval());
			int removed = this.tools.redis().leases().removeConsumers(this.partition, "");
			if (removed > 0) {
				logger.info("Removed " + removed + " dead consumers without pending messages of partition "
						+ this.partition);
			}
		}
	}

	private long untilNext() {
		long pass = Math.max(1, this.nextPassNanos - System.nanoTime());
		return Math.min(pass, jittered(this.tools.settings().auditInterval()));
	}

	/**
	 * Shortens an interval by up to a quarter at random, so that processes differ; ns.
	 */
	private static long jittered(Duration interval) {
		long nanos = interval.toNanos();
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
	}

}
