package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Leases.Lease;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Release;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Keeps the leases of one consumer in one partition, three times in each visibility
 * timeout:
 * <ol>
 * <li>the leases of the messages that are held are renewed; who has lost one is
 * told;</li>
 * <li>so are those of messages whose handlers have ended, until Redis has taken the
 * settlement;</li>
 * <li>pending entries of this consumer that nobody here knows, because the reply of their
 * read was lost, are given back without blame.</li>
 * </ol>
 * None of that is done while the partition has another layout than this version knows.
 */
final class LeaseRenewer {

	private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

	private static final int MOST_AT_ONCE = 500;

	/**
	 * How soon to look again whether the partition has the layout that is known here, at
	 * the latest: sooner than a reclaimer takes anything back after it has met another
	 * one.
	 */
	private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long SAFE_SIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final PartitionReader reader;

	private final Partition partition;

	private final String consumer;

	private final Leases leases;

	private final ReadyMessages ready;

	private final RedisGate gate;

	private final InFlight inFlight;

	private final Supplier<Duration> visibilityTimeout;

	private final LostLeases listener;

	private final RecurringTurn turn;

	/** When the last successful beat began. */
	private volatile long succeededNanos = Signals.longAgo();

	LeaseRenewer(ConsumerPlan plan, Supplier<Duration> visibilityTimeout, PartitionReader reader, ConsumerTools tools,
			InFlight inFlight, LostLeases listener, TurnThreads threads) {
		this.reader = reader;
		this.partition = reader.partition();
		this.consumer = plan.consumer();
		this.leases = tools.leases();
		this.ready = tools.ready();
		this.gate = tools.gate();
		this.inFlight = inFlight;
		this.visibilityTimeout = visibilityTimeout;
		this.listener = listener;
		this.turn = threads.turn("The heartbeat of partition " + this.partition, this::beat);
	}

	/**
	 * Told of leases that are lost; returns at once.
	 */
	interface LostLeases {

		/**
		 * A lease is lost.
		 * @param task the delivery
		 */
		void lost(DeliveryTask task);

		/**
		 * Messages that were read without a reply have been given back.
		 * @param partition the partition
		 * @param messages how many
		 */
		void givenBack(Partition partition, int messages);

	}

	void start() {
		this.turn.dueIn(0);
	}

	void wakeUp() {
		this.turn.dueIn(0);
	}

	void stop() {
		this.turn.stop();
	}

	LoopStatus status() {
		return this.turn.status();
	}

	/**
	 * Whether a whole beat has succeeded since.
	 * @param nanos a {@link System#nanoTime()}; calls that were sent before do not count
	 */
	boolean hasSucceededSince(long nanos) {
		return this.succeededNanos - nanos >= 0;
	}

	private long beat() {
		long interval = this.visibilityTimeout.get().toNanos() / 3;
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(interval);
		}
		if (this.ready.isLayoutForeign(this.partition)) {
			return BackgroundLoop.untried(Math.min(interval, FOREIGN_NANOS));
		}
		long began = System.nanoTime();
		try {
			renew();
			giveBackUnknown();
			this.succeededNanos = began;
			return interval;
		}
		catch (StoreException failure) {
			if (failure.isRedisLost()) {
				this.gate.lost(failure);
			}
			if (failure.isLayoutForeign()) {
				return BackgroundLoop.untried(Math.min(interval, FOREIGN_NANOS));
			}
			throw failure;
		}
	}

	private void renew() {
		List<DeliveryTask> held = new ArrayList<>();
		for (DeliveryTask task : this.inFlight.of(this.partition)) {
			if (task.isSettling() || !task.isGivenUp()) {
				// Also if it has ended by our clock: Redis knows whether it was taken
				// back
				held.add(task);
			}
		}
		for (int from = 0; from < held.size(); from += MOST_AT_ONCE) {
			List<DeliveryTask> batch = held.subList(from, Math.min(held.size(), from + MOST_AT_ONCE));
			long asked = System.nanoTime();
			Set<String> lost = this.leases.renew(this.partition, this.consumer,
					batch.stream().map(DeliveryTask::entry).toList());
			for (DeliveryTask task : batch) {
				if (!lost.contains(task.entry())) {
					task.renewed(asked);
				}
				else if (this.inFlight.find(this.partition, task.entry()) == task) {
					this.listener.lost(task);
				}
			}
		}
	}

	/**
	 * Only what was delivered before the read that is under way, or before this look, can
	 * be known to be unknown: the reply of a later read may not have been taken in yet.
	 */
	private void giveBackUnknown() {
		long asked = System.nanoTime();
		long readingSince = this.reader.readingSince();
		long unheard = (readingSince != PartitionReader.NOT_READING) ? Math.min(asked, readingSince) : asked;
		// Before Redis tells what is pending: what is settled meanwhile is not unknown
		Set<String> known = this.inFlight.of(this.partition)
			.stream()
			.map(DeliveryTask::entry)
			.collect(Collectors.toSet());
		String from = "";
		List<Lease> page;
		do {
			page = this.leases.of(this.partition, this.consumer, from);
			long newerThan = System.nanoTime() - unheard + SAFE_SIDE_NANOS;
			List<Release> unknown = new ArrayList<>();
			for (Lease lease : page) {
				from = lease.entry();
				if (lease.idle().toNanos() > newerThan && !known.contains(lease.entry())) {
					unknown.add(new Release(lease.entry(), this.leases.messageOf(this.partition, lease.entry()),
							Release.DUE_NOW));
				}
			}
			giveBack(unknown);
		}
		while (page.size() == Leases.PAGE);
	}

	private void giveBack(List<Release> unknown) {
		if (!unknown.isEmpty()) {
			logger.info(unknown.size() + " messages of partition " + this.partition
					+ " were read without a reply and are given back");
			this.ready.release(this.partition, unknown);
			this.listener.givenBack(this.partition, unknown.size());
		}
	}

}
