package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.delayqueue.delivery.Settlement.Kind;
import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Acknowledgement;
import io.delayqueue.store.ReadyMessages.Death;
import io.delayqueue.store.ReadyMessages.Release;
import io.delayqueue.store.ReadyMessages.Retried;
import io.delayqueue.store.ReadyMessages.Retry;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Settles the deliveries of one partition: what waits together goes as one batch, and
 * nothing waits to fill one. A settlement that gets no answer is repeated until there is
 * one; the fence makes that harmless. While the partition has another layout than this
 * version knows, what is refused makes room for other partitions.
 */
final class Settler {

	private static final int MOST_AT_ONCE = 200;

	private static final long BACKSTOP_NANOS = TimeUnit.SECONDS.toNanos(30);

	/** How soon to ask again whether the partition has the layout that is known here. */
	private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

	// immutable

	private final Partition partition;

	private final ReadyMessages ready;

	private final RedisGate gate;

	private final QueueSettings settings;

	private final Settlements listener;

	private final BackgroundLoop loop;

	// shared and safe

	private final Queue<Settlement> arrived = new ConcurrentLinkedQueue<>();

	// confined to the loop thread

	private final Map<Kind, List<Settlement>> unsettled = new LinkedHashMap<>();

	Settler(Partition partition, QueueSettings settings, ReadyMessages ready, RedisGate gate, Settlements listener) {
		this.partition = partition;
		this.ready = ready;
		this.gate = gate;
		this.settings = settings;
		this.listener = listener;
		this.loop = new BackgroundLoop("delayqueue-settle-" + partition, this::settle);
	}

	/**
	 * Told what became of each settlement; returns at once.
	 */
	interface Settlements {

		/**
		 * Redis has answered.
		 * @param settlement what was decided
		 * @param settled what it met
		 */
		void settled(Settlement settlement, Settled settled);

		/**
		 * The partition has another layout than this version knows: this may never be
		 * settled here. Told again each time that it is tried.
		 * @param settlement what was decided
		 */
		void refused(Settlement settlement);

		/**
		 * Messages that had not begun have been given back.
		 * @param partition the partition
		 */
		void givenBack(Partition partition);

		/**
		 * A message that was put back is now the first one due.
		 * @param partition the partition
		 * @param inNanos when it is due, from now, ns
		 */
		void newHead(Partition partition, long inNanos);

	}

	void start() {
		this.loop.start();
	}

	void wakeUp() {
		this.loop.wakeUp();
	}

	void add(Settlement settlement) {
		this.arrived.add(settlement);
		this.loop.wakeUp();
	}

	boolean stop(Duration timeout) {
		return this.loop.stop(timeout);
	}

	LoopStatus status() {
		return this.loop.status();
	}

	private long settle() {
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(BACKSTOP_NANOS);
		}
		while (this.gate.isOpen() && (takeIn() || !this.unsettled.isEmpty())) {
			if (!settleOnce()) {
				while (takeIn()) {
					// All that waits is refused alike
				}
				this.unsettled.values().forEach((refused) -> refused.forEach(this.listener::refused));
				return BackgroundLoop.untried(FOREIGN_NANOS);
			}
		}
		return BACKSTOP_NANOS;
	}

	private boolean takeIn() {
		boolean any = false;
		for (int i = 0; i < MOST_AT_ONCE; i++) {
			Settlement settlement = this.arrived.poll();
			if (settlement == null) {
				break;
			}
			this.unsettled.computeIfAbsent(settlement.kind(), (kind) -> new ArrayList<>()).add(settlement);
			any = true;
		}
		return any;
	}

	/** Says whether the partition may be settled at all. */
	private boolean settleOnce() {
		try {
			for (Kind kind : List.copyOf(this.unsettled.keySet())) {
				settleAll(kind, this.unsettled.getOrDefault(kind, List.of()));
				this.unsettled.remove(kind);
			}
			return true;
		}
		catch (StoreException failure) {
			if (failure.isRedisLost()) {
				this.gate.lost(failure);
			}
			if (failure.isLayoutForeign()) {
				return false;
			}
			throw failure;
		}
	}

	private void settleAll(Kind kind, List<Settlement> all) {
		while (!all.isEmpty()) {
			List<Settlement> batch = all.subList(0, Math.min(all.size(), MOST_AT_ONCE));
			List<Settled> answers;
			try {
				answers = call(kind, batch);
			}
			catch (StoreException failure) {
				batch.forEach(Settlement::repeat);
				throw failure;
			}
			for (int i = 0; i < batch.size(); i++) {
				Settlement settlement = batch.get(i);
				this.listener.settled(settlement, settlement.isRepeated() ? ofARepeat(answers.get(i)) : answers.get(i));
			}
			batch.clear();
		}
	}

	/** What the call has met whose answer was lost, as far as the repeat can tell. */
	private static Settled ofARepeat(Settled answer) {
		return switch (answer) {
			case COUNTED, GONE -> Settled.COUNTED;
			case SUPERSEDED -> Settled.GONE;
		};
	}

	private List<Settled> call(Kind kind, List<Settlement> batch) {
		return switch (kind) {
			case ACKNOWLEDGE,
					DROP ->
				settled(this.ready.acknowledge(this.partition, this.settings.doneWindowOfGenerated(),
						batch.stream()
							.map(Settlement::task)
							.map((task) -> new Acknowledgement(task.entry(), task.id(), task.token(),
									this.settings.doneWindowOf(task.id())))
							.toList()));
			case RELEASE -> release(batch);
			case RETRY -> batch.stream().map((settlement) -> retry(settlement)).toList();
			case DEAD_LETTER -> batch.stream()
				.map((settlement) -> settled(this.ready.deadLetter(this.partition, settlement.task().entry(),
						settlement.task().id(), death(settlement.reason())))
					.get(0))
				.toList();
		};
	}

	private Death death(@Nullable FailureNote reason) {
		return new Death(String.valueOf(text(reason)), reason == null || reason.reason() != FailureReason.EXPIRED,
				this.settings.groups().countDead());
	}

	/** What had waited for a place in its group is to be swept. */
	private List<Settled> settled(ReadyMessages.Settlements settlements) {
		if (settlements.unparked() > 0) {
			this.listener.newHead(this.partition, 0);
		}
		return settlements.each();
	}

	private List<Settled> release(List<Settlement> batch) {
		List<Settled> settled = this.ready.release(this.partition, batch.stream().map(Settler::release).toList());
		this.listener.givenBack(this.partition);
		return settled;
	}

	private static Release release(Settlement settlement) {
		DeliveryTask task = settlement.task();
		return settlement.waiting().isZero() ? new Release(task.entry(), task.id(), task.dueMillis())
				: new Release(task.entry(), task.id(), task.dueAfter(settlement.waiting()), true);
	}

	private Settled retry(Settlement settlement) {
		DeliveryTask task = settlement.task();
		Retried retried = this.ready.retry(this.partition, task.entry(), task.id(),
				new Retry(settlement.waiting(), text(settlement.reason()), isStrict(task.group()), task.hasExpired()));
		if (retried.unparked() > 0) {
			this.listener.newHead(this.partition, 0);
		}
		else if (retried.newHead()) {
			this.listener.newHead(this.partition,
					TimeUnit.MICROSECONDS.toNanos(Math.max(0, retried.dueMillis() * 1000 - retried.nowMicros())));
		}
		return retried.settled();
	}

	private boolean isStrict(@Nullable String group) {
		return group != null && this.settings.groups().isStrict(group);
	}

	private static @Nullable String text(@Nullable FailureNote reason) {
		return (reason != null) ? reason.text() : null;
	}

}
