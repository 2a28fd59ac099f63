package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Leases.Lease;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.PendingMessages.Release;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of the messages that one consumer holds in one partition, three times
 * in each visibility timeout:
 * <ol>
 * <li>the renewer renews the leases of all messages that handlers have or will get, and
 * reports each lease that is lost and each message that was cancelled meanwhile;</li>
 * <li>the renewer also renews the leases of messages whose handlers have ended, until
 * Redis has accepted their settlement;</li>
 * <li>the renewer releases the pending entries of this consumer that never arrived in
 * this process, because the reply of their read was lost; such a release does not count
 * as a failure.</li>
 * </ol>
 * The renewer does not call Redis while this process holds no message and has not read
 * since the last renewal, or while the partition has the layout of another version of the
 * library.
 */
final class LeaseRenewer {

	private static final Log logger = LogFactory.getLog(LeaseRenewer.class);

	private static final int MOST_AT_ONCE = 500;

	/**
	 * The longest interval between two checks whether the partition still has the layout
	 * of another library version; the reclaimer has a longer interval.
	 */
	private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long SAFE_SIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final PartitionState partition;

	private final ConsumerState state;

	private final PendingMessages pending;

	private final Leases leases;

	private final SettlementListener listener;

	private final Task task;

	/**
	 * The number of calls of {@link #renewNow}. After each of these calls the renewer
	 * calls Redis, even if this process holds no messages.
	 */
	private final AtomicLong requests = new AtomicLong();

	// accessed only by the task

	private long servedRequests;

	/**
	 * The value of {@link PartitionState#reads()} before the last complete renewal. A
	 * renewal is complete if no read was under way at its beginning, and this process
	 * then held every pending entry of this consumer.
	 */
	private long checkedReads;

	LeaseRenewer(PartitionState partition, ConsumerState state, PendingMessages pending, Leases leases,
			SettlementListener listener, TaskPool tasks) {
		this.partition = partition;
		this.state = state;
		this.pending = pending;
		this.leases = leases;
		this.listener = listener;
		this.task = tasks.task("delayqueue-renew-" + partition.partition(), this::beat);
		partition.onRenewal(this::renewNow);
	}

	void renewNow() {
		this.requests.incrementAndGet();
		this.task.wake();
	}

	void stop() {
		this.task.stop();
	}

	/**
	 * Removes this consumer from the consumer group of the partition, unless the consumer
	 * still has pending messages. If the call fails, the maintenance of another process
	 * removes this consumer later.
	 * @return {@code false} if Redis is unreachable
	 */
	boolean leave() {
		if (!this.state.gate().isOpen()) {
			return false;
		}
		try {
			this.leases.removeConsumers(this.partition.partition(), this.state.consumer());
			return true;
		}
		catch (StoreException failure) {
			logger.debug(
					"The consumer of partition " + this.partition.partition() + " is removed later, by maintenance",
					failure);
			return !failure.isRedisLost();
		}
	}

	private Pause beat() {
		long interval = this.partition.visibilityTimeout().toNanos() / 3;
		return this.state.gate().run(() -> {
			if (this.pending.isLayoutForeign(this.partition.partition())) {
				return Pause.untried(Math.min(interval, FOREIGN_NANOS));
			}
			long reads = this.partition.reads();
			long requested = this.requests.get();
			if (requested == this.servedRequests && reads == this.checkedReads && this.partition.held().isEmpty()) {
				return Pause.untried(interval);
			}
			long began = System.nanoTime();
			boolean isReading = this.partition.readingSince() != PartitionState.NOT_READING;
			renew();
			boolean wasRequested = requested != this.servedRequests;
			boolean allKnown = giveBackUnknown();
			if (allKnown) {
				this.partition.known(began);
				// After a lost reply Redis may execute the read only after this check
				this.checkedReads = (isReading || wasRequested) ? this.checkedReads : reads;
			}
			this.partition.renewed(began);
			this.servedRequests = requested;
			// The reply of a read that has delivered messages a moment ago may be lost
			return Pause.of((wasRequested && !allKnown) ? Math.min(interval, 2 * SAFE_SIDE_NANOS) : interval);
		}, () -> Math.min(interval, FOREIGN_NANOS));
	}

	private void renew() {
		List<DeliveryTask> held = new ArrayList<>();
		for (DeliveryTask task : this.partition.held()) {
			if (task.isSettling() || !task.isGivenUp()) {
				// Renew a lease even if it has ended by the clock of this process,
				// because only Redis decides whether a lease has ended
				held.add(task);
			}
		}
		for (int from = 0; from < held.size(); from += MOST_AT_ONCE) {
			List<DeliveryTask> batch = held.subList(from, Math.min(held.size(), from + MOST_AT_ONCE));
			long asked = System.nanoTime();
			Set<String> lost = this.leases.renew(this.partition.partition(), this.state.consumer(),
					batch.stream().map(DeliveryTask::entry).toList());
			for (DeliveryTask task : batch) {
				if (!lost.contains(task.entry())) {
					task.renewed(asked);
				}
				else if (this.partition.held(task.entry()) == task) {
					this.listener.lost(task);
				}
			}
			noticeCancelled(batch.stream()
				.filter((task) -> task.stage() == Stage.HANDLING && !task.isGivenUp() && !task.isCancelled()
						&& !task.isReplaced())
				.toList());
		}
	}

	/**
	 * Finds and reports messages that were cancelled while a handler works on them,
	 * because the hint of a cancellation may be lost.
	 */
	private void noticeCancelled(List<DeliveryTask> handled) {
		if (handled.isEmpty()) {
			return;
		}
		try {
			List<@Nullable String> current = this.leases.current(this.partition.partition(),
					handled.stream().map(DeliveryTask::storedId).toList());
			for (int i = 0; i < handled.size(); i++) {
				DeliveryTask task = handled.get(i);
				if (task.entry().equals(current.get(i))) {
					continue;
				}
				if (this.leases.isStored(this.partition.partition(), task.storedId())) {
					task.replaced();
				}
				else {
					this.listener.cancelled(task);
				}
			}
		}
		catch (StoreException failure) {
			if (failure.isRedisLost()) {
				throw failure;
			}
			// The check for cancelled messages is optional, and the leases have been
			// renewed already
			logger.debug(
					"Could not check which messages of partition " + this.partition.partition() + " were cancelled",
					failure);
		}
	}

	/**
	 * Releases pending entries of this consumer that this process does not hold. Does not
	 * release entries that Redis has delivered since the beginning of this check or of
	 * the read that is under way, because this process may not yet have processed their
	 * reply.
	 * @return whether this process holds every remaining pending entry of this consumer
	 */
	private boolean giveBackUnknown() {
		long asked = System.nanoTime();
		long readingSince = this.partition.readingSince();
		long unheard = (readingSince != PartitionState.NOT_READING) ? Math.min(asked, readingSince) : asked;
		// Copy the held entries before Redis lists the pending entries, so that an entry
		// that is settled in between counts as held
		Set<String> known = this.partition.held().stream().map(DeliveryTask::entry).collect(Collectors.toSet());
		String from = "";
		boolean allKnown = true;
		List<Lease> page;
		do {
			page = this.leases.of(this.partition.partition(), this.state.consumer(), from);
			long newerThan = System.nanoTime() - unheard + SAFE_SIDE_NANOS;
			List<Release> unknown = new ArrayList<>();
			for (Lease lease : page) {
				from = lease.entry();
				if (known.contains(lease.entry())) {
					continue;
				}
				if (lease.idle().toNanos() <= newerThan) {
					allKnown = false;
				}
				else {
					unknown.add(new Release(lease.entry(),
							this.leases.messageOf(this.partition.partition(), lease.entry()), Release.DUE_NOW));
				}
			}
			giveBack(unknown);
		}
		while (page.size() == Leases.PAGE);
		return allKnown;
	}

	private void giveBack(List<Release> unknown) {
		if (!unknown.isEmpty()) {
			logger.info(unknown.size() + " messages of partition " + this.partition.partition()
					+ " were read, but the reply was lost; they are released");
			this.pending.settle(this.partition.partition(), unknown);
			this.listener.givenBack(this.partition.partition(), unknown.size());
		}
	}

}
