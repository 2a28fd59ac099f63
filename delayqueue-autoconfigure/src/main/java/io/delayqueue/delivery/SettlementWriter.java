package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.delivery.Settlement.Kind;
import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.FailureTrack;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.FailureKind;
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
 * one; the fence makes that harmless. What Redis refuses, or all of a partition with
 * another layout than this version knows, gives its permits to other messages; the other
 * kinds of settlements go on.
 */
final class SettlementWriter {

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

	/** Settlements that wait without a permit. */
	private final AtomicInteger stranded = new AtomicInteger();

	// confined to the loop thread

	private final Map<Kind, Line> lines = new EnumMap<>(Kind.class);

	SettlementWriter(Partition partition, QueueSettings settings, ReadyMessages ready, RedisGate gate,
			Settlements listener) {
		this.partition = partition;
		this.ready = ready;
		this.gate = gate;
		this.settings = settings;
		this.listener = listener;
		this.loop = new BackgroundLoop("delayqueue-settle-" + partition, this::settle);
		for (Kind kind : Kind.values()) {
			this.lines.put(kind, new Line(kind));
		}
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
		 * Redis refuses this, or the partition has another layout than this version
		 * knows: it may never be settled here. Called once for each.
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

	/** The kind that fares worst. */
	LoopStatus status() {
		LoopStatus worst = this.loop.status();
		for (Line line : this.lines.values()) {
			LoopStatus status = line.track.status(worst.alive());
			if (status.failingFor().compareTo(worst.failingFor()) > 0) {
				worst = status;
			}
		}
		return worst;
	}

	/**
	 * Whether more may be read: not while as many messages as the consumer handles at
	 * once wait for a Redis that refuses to settle them.
	 */
	boolean acceptsMore() {
		return this.stranded.get() < this.settings.concurrency();
	}

	private long settle() {
		long waitNanos;
		do {
			if (!this.gate.isOpen()) {
				return BackgroundLoop.untried(BACKSTOP_NANOS);
			}
			takeIn();
			waitNanos = BACKSTOP_NANOS;
			for (Line line : this.lines.values()) {
				if (!line.settle()) {
					return BackgroundLoop.untried(FOREIGN_NANOS);
				}
				waitNanos = Math.min(waitNanos, line.leftNanos());
			}
		}
		while (!this.arrived.isEmpty());
		return waitNanos;
	}

	private void takeIn() {
		for (Settlement one = this.arrived.poll(); one != null; one = this.arrived.poll()) {
			line(one.kind()).add(one);
		}
	}

	private Line line(Kind kind) {
		return Objects.requireNonNull(this.lines.get(kind));
	}

	/**
	 * The settlements of one kind. While Redis refuses them the other kinds go on.
	 * Confined to the loop thread, but for its status.
	 */
	private final class Line {

		private final Kind kind;

		private final FailureTrack track;

		private final List<Settlement> waiting = new ArrayList<>();

		private boolean refused;

		private long notBeforeNanos = System.nanoTime();

		Line(Kind kind) {
			this.kind = kind;
			this.track = new FailureTrack("Settling (" + kind.name().toLowerCase(Locale.ROOT) + ") of partition "
					+ SettlementWriter.this.partition);
		}

		void add(Settlement settlement) {
			this.waiting.add(settlement);
			if (this.refused) {
				strand(settlement);
			}
		}

		/** How long until the next try, ns. */
		long leftNanos() {
			return this.waiting.isEmpty() ? BACKSTOP_NANOS : Math.max(1, this.notBeforeNanos - System.nanoTime());
		}

		/**
		 * Settles what waits, unless it is too soon after a failure.
		 * @return {@code false} if the partition has another layout than this version
		 * knows
		 */
		boolean settle() {
			if (this.waiting.isEmpty() || this.notBeforeNanos - System.nanoTime() > 0) {
				return true;
			}
			try {
				while (!this.waiting.isEmpty()) {
					settleBatch();
				}
				this.track.succeeded();
				this.refused = false;
			}
			catch (StoreException failure) {
				if (failure.isRedisLost()) {
					SettlementWriter.this.gate.lost(failure);
				}
				if (failure.isLayoutForeign()) {
					strandAll();
					return false;
				}
				failed(failure, failure.kind() == FailureKind.REFUSED);
			}
			catch (RuntimeException bug) {
				failed(bug, true);
			}
			return true;
		}

		private void failed(RuntimeException failure, boolean isRefusal) {
			this.notBeforeNanos = System.nanoTime() + this.track.failed(failure).toNanos();
			this.refused = isRefusal;
			if (isRefusal) {
				this.waiting.forEach(SettlementWriter.this::strand);
			}
		}

		private void settleBatch() {
			List<Settlement> batch = this.waiting.subList(0, Math.min(this.waiting.size(), MOST_AT_ONCE));
			List<Settled> answers;
			try {
				answers = call(this.kind, batch);
			}
			catch (RuntimeException failure) {
				batch.forEach(Settlement::repeat);
				throw failure;
			}
			List<Settlement> settled = List.copyOf(batch);
			batch.clear();
			for (int i = 0; i < settled.size(); i++) {
				Settlement settlement = settled.get(i);
				if (settlement.task().isStranded()) {
					SettlementWriter.this.stranded.decrementAndGet();
				}
				SettlementWriter.this.listener.settled(settlement,
						settlement.isRepeated() ? ofARepeat(answers.get(i)) : answers.get(i));
			}
		}

	}

	/** What waits cannot be settled for now, and other messages may have the permits. */
	private void strandAll() {
		takeIn();
		this.lines.values().forEach((line) -> line.waiting.forEach(this::strand));
	}

	private void strand(Settlement settlement) {
		if (!settlement.task().isStranded()) {
			this.stranded.incrementAndGet();
			this.listener.refused(settlement);
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
		List<Settled> settled = this.ready.release(this.partition,
				batch.stream().map(SettlementWriter::release).toList());
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
