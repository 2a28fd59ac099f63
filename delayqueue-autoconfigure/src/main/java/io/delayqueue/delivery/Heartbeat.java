package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Leases.Lease;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Release;
import io.delayqueue.store.Partition;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Keeps the leases of one consumer, on a thread of its own, three times in each
 * visibility timeout:
 * <ol>
 * <li>the leases of the messages that are held are renewed; who has lost one is
 * told;</li>
 * <li>a handler that has run for longer than the maximum processing time is not renewed
 * any more;</li>
 * <li>pending entries of this consumer that nobody here knows, because the reply of their
 * read was lost, are given back without blame.</li>
 * </ol>
 */
final class Heartbeat {

	private static final Log logger = LogFactory.getLog(Heartbeat.class);

	private static final int MOST_AT_ONCE = 500;

	private static final long SAFE_SIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final List<Intake> intakes;

	private final String consumer;

	private final Leases leases;

	private final ReadyMessages ready;

	private final RedisGate gate;

	private final InFlight inFlight;

	private final Supplier<Duration> visibilityTimeout;

	private final Duration maxProcessingTime;

	private final LostLeases listener;

	private final BackgroundLoop loop;

	Heartbeat(ConsumerPlan plan, Supplier<Duration> visibilityTimeout, List<Intake> intakes, ConsumerTools tools,
			InFlight inFlight, LostLeases listener) {
		this.intakes = intakes;
		this.consumer = plan.consumer();
		this.leases = tools.leases();
		this.ready = tools.ready();
		this.gate = tools.gate();
		this.inFlight = inFlight;
		this.visibilityTimeout = visibilityTimeout;
		this.maxProcessingTime = plan.settings().retry().maxProcessingTime();
		this.listener = listener;
		this.loop = new BackgroundLoop("delayqueue-heartbeat-" + plan.settings().name(), this::beat);
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
		this.loop.start();
	}

	void wakeUp() {
		this.loop.wakeUp();
	}

	void stop() {
		this.loop.stop(Duration.ZERO);
	}

	LoopStatus status() {
		return this.loop.status();
	}

	private long beat() {
		long interval = this.visibilityTimeout.get().toNanos() / 3;
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(interval);
		}
		StoreException failure = null;
		for (Intake intake : this.intakes) {
			try {
				renew(intake);
				giveBackUnknown(intake);
			}
			catch (StoreException lost) {
				failure = lost;
			}
		}
		if (failure != null) {
			if (failure.isRedisLost()) {
				this.gate.lost(failure);
			}
			throw failure;
		}
		return interval;
	}

	private void renew(Intake intake) {
		List<DeliveryTask> held = new ArrayList<>();
		for (DeliveryTask task : this.inFlight.of(intake.partition())) {
			if (task.isRunningFor(this.maxProcessingTime)) {
				this.listener.lost(task);
			}
			else if (!task.hasLostLease()) {
				held.add(task);
			}
		}
		for (int from = 0; from < held.size(); from += MOST_AT_ONCE) {
			List<DeliveryTask> batch = held.subList(from, Math.min(held.size(), from + MOST_AT_ONCE));
			long asked = System.nanoTime();
			Set<String> lost = this.leases.renew(intake.partition(), this.consumer,
					batch.stream().map(DeliveryTask::entry).toList());
			for (DeliveryTask task : batch) {
				if (!lost.contains(task.entry())) {
					task.renewed(asked);
				}
				else if (this.inFlight.find(task.partition(), task.entry()) == task) {
					this.listener.lost(task);
				}
			}
		}
	}

	/**
	 * Only what was delivered before the read that is under way, or before this look, can
	 * be known to be unknown: the reply of a later read may not have been taken in yet.
	 */
	private void giveBackUnknown(Intake intake) {
		long asked = System.nanoTime();
		long readingSince = intake.readingSince();
		List<Lease> leases = this.leases.of(intake.partition(), this.consumer);
		long answered = System.nanoTime();
		long newerThan = answered - ((readingSince != Intake.NOT_READING) ? Math.min(asked, readingSince) : asked);
		List<Release> unknown = new ArrayList<>();
		for (Lease lease : leases) {
			if (lease.idle().toNanos() > newerThan + SAFE_SIDE_NANOS
					&& this.inFlight.find(intake.partition(), lease.entry()) == null) {
				unknown.add(new Release(lease.entry(), this.leases.messageOf(intake.partition(), lease.entry()),
						Release.DUE_NOW));
			}
		}
		if (!unknown.isEmpty()) {
			logger.info(unknown.size() + " messages of partition " + intake.partition()
					+ " were read without a reply and are given back");
			this.ready.release(intake.partition(), unknown);
			this.listener.givenBack(intake.partition(), unknown.size());
		}
	}

}
