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

import io.delayqueue.delivery.Settlement.Kind;
import io.delayqueue.lifecycle.FailureTrack;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Due;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.PendingMessages.Settlements;

/**
 * Sends the settlements of one partition to Redis. The writer takes up to 200 waiting
 * settlements of one kind as a batch, and sends it in one call. It sends a settlement at
 * once, except fewer than 20 acknowledgements that nobody waits for: these are sent at
 * most every 5 ms, because a call costs Redis more than a message of it. The writer
 * repeats a settlement without a reply until Redis replies; Redis applies a repeated
 * settlement only once. If Redis refuses a settlement, or the partition has the layout of
 * another library version, the writer frees the permit of the delivery. A refusal of one
 * kind of settlement does not stop other kinds.
 */
final class SettlementWriter {

	private static final int MOST_AT_ONCE = 200;

	/**
	 * The most settlements of a call if each may have a stack trace of 20,000 characters.
	 */
	private static final int MOST_WITH_STACKS = 20;

	/** The number of waiting acknowledgements that are worth a call at once. */
	private static final int ENOUGH = 20;

	/** The least time between two calls with fewer, if nobody waits for them. */
	private static final long GATHERING_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long BACKSTOP_NANOS = TimeUnit.SECONDS.toNanos(30);

	/** A layout of another library version is checked again after this time. */
	private static final long FOREIGN_NANOS = TimeUnit.SECONDS.toNanos(1);

	// immutable

	private final Partition partition;

	private final ConsumerState state;

	private final PendingMessages pending;

	private final SettlementListener listener;

	private final HoldWriter holdWriter;

	private final TaskPool tasks;

	private final Task task;

	// shared and safe

	private final Queue<Settlement> arrived = new ConcurrentLinkedQueue<>();

	// accessed only by the task

	private final Map<Kind, Line> lines = new EnumMap<>(Kind.class);

	SettlementWriter(Partition partition, ConsumerState state, PendingMessages pending, SettlementListener listener,
			HoldWriter holdWriter, TaskPool tasks) {
		this.partition = partition;
		this.state = state;
		this.pending = pending;
		this.listener = listener;
		this.holdWriter = holdWriter;
		this.tasks = tasks;
		this.task = tasks.task("delayqueue-settle-" + partition, this::settle);
		for (Kind kind : Kind.values()) {
			this.lines.put(kind, new Line(kind));
		}
	}

	void start() {
		this.lines.values().forEach((line) -> this.tasks.list(line.track));
		this.task.wake();
	}

	void wakeUp() {
		this.task.wake();
	}

	/** Adds a settlement to be sent, unless the delivery has a settlement already. */
	void add(Settlement settlement) {
		if (this.state.settling(settlement.task())) {
			this.arrived.add(settlement);
			this.task.wake();
		}
	}

	boolean stop(Duration timeout) {
		this.lines.values().forEach((line) -> this.tasks.unlist(line.track));
		return this.task.stop(timeout);
	}

	/** Sends what may be sent now; returns when there is more to send. */
	Pause settle() {
		long waitNanos;
		do {
			if (!this.state.gate().isOpen()) {
				return Pause.untried(BACKSTOP_NANOS);
			}
			takeIn();
			waitNanos = BACKSTOP_NANOS;
			for (Line line : this.lines.values()) {
				if (!line.settle()) {
					return Pause.untried(FOREIGN_NANOS);
				}
				waitNanos = Math.min(waitNanos, line.leftNanos());
			}
		}
		while (!this.arrived.isEmpty());
		return Pause.of(waitNanos);
	}

	private void takeIn() {
		for (Settlement one = this.arrived.poll(); one != null; one = this.arrived.poll()) {
			line(one.kind()).add(one);
		}
	}

	private Line line(Kind kind) {
		return Objects.requireNonNull(this.lines.get(kind));
	}

	/** The settlements of one kind; health reads their failures. */
	private final class Line {

		private final Kind kind;

		private final FailureTrack track;

		private final List<Settlement> waiting = new ArrayList<>();

		private boolean refused;

		private boolean urgent;

		private long notBeforeNanos = System.nanoTime();

		private long lastCallNanos = Signals.longAgo();

		Line(Kind kind) {
			this.kind = kind;
			this.track = new FailureTrack("Settling (" + kind.name().toLowerCase(Locale.ROOT) + ") of partition "
					+ SettlementWriter.this.partition);
		}

		void add(Settlement settlement) {
			this.waiting.add(settlement);
			this.urgent |= isUrgent(settlement);
			if (this.refused) {
				strand(settlement);
			}
		}

		/** Returns the time until the next try to send settlements of this kind, ns. */
		long leftNanos() {
			return this.waiting.isEmpty() ? BACKSTOP_NANOS : Math.max(1, waitNanos());
		}

		private long waitNanos() {
			long now = System.nanoTime();
			ConsumerState consumer = SettlementWriter.this.state;
			boolean gathers = !this.urgent && this.waiting.size() < ENOUGH && !consumer.isClosing()
					&& consumer.permits().mostMayLeaveEarly();
			return Math.max(this.notBeforeNanos - now, gathers ? this.lastCallNanos + GATHERING_NANOS - now : 0);
		}

		/**
		 * Sends the waiting settlements, unless the wait after a failure has not ended.
		 * @return {@code false} if the partition has the layout of another version
		 */
		boolean settle() {
			if (this.waiting.isEmpty() || waitNanos() > 0) {
				return true;
			}
			try {
				while (!this.waiting.isEmpty()) {
					settleBatch();
				}
				this.urgent = false;
				this.lastCallNanos = System.nanoTime();
				this.track.succeeded();
				this.refused = false;
			}
			catch (StoreException failure) {
				SettlementWriter.this.state.gate().failed(failure);
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
			boolean haveStacks = (this.kind == Kind.RETRY || this.kind == Kind.DEAD_LETTER)
					&& SettlementWriter.this.state.settings().retry().failureStack() > 0;
			List<Settlement> batch = this.waiting.subList(0,
					Math.min(this.waiting.size(), haveStacks ? MOST_WITH_STACKS : MOST_AT_ONCE));
			List<Settled> answers;
			try {
				Settlements sent = send(this.kind, batch);
				wakeSweeper(sent);
				answers = sent.each();
			}
			catch (RuntimeException failure) {
				batch.forEach(Settlement::repeat);
				throw failure;
			}
			List<Settlement> settled = List.copyOf(batch);
			batch.clear();
			for (int i = 0; i < settled.size(); i++) {
				Settlement settlement = settled.get(i);
				SettlementWriter.this.listener.settled(settlement,
						settlement.isRepeated() ? ofARepeat(answers.get(i)) : answers.get(i));
			}
		}

	}

	/**
	 * Whether other messages may wait for this settlement: for its permit, for its place
	 * within the limit of its queue or the quota of its group, for the slot that a parked
	 * message needs, or for what it stores.
	 */
	private boolean isUrgent(Settlement settlement) {
		DeliveryTask task = settlement.task();
		QueueSettings settings = this.state.settings();
		return settlement.kind() != Kind.ACKNOWLEDGE || !task.hasReturnedPermit() || settings.flow().maxInFlight() > 0
				|| (task.group() != null
						&& (settings.groups().quota() > 0 || this.state.partition(this.partition).mayHaveParked()));
	}

	/** Sends settlements of one kind, and returns the answers to them. */
	private Settlements send(Kind kind, List<Settlement> batch) {
		QueueSettings settings = this.state.settings();
		String process = this.pending.process();
		return switch (kind) {
			case ACKNOWLEDGE -> this.pending.acknowledge(this.partition, settings.doneWindowOfGenerated(),
					batch.stream().map((one) -> one.toAcknowledgement(settings)).toList());
			case EXPIRE -> this.pending.expire(this.partition, settings.doneWindowOfGenerated(),
					batch.stream().map((one) -> one.toAcknowledgement(settings)).toList());
			case RELEASE -> {
				Settlements released = this.pending.settle(this.partition,
						batch.stream().map(Settlement::toRelease).toList());
				this.listener.givenBack(this.partition);
				yield released;
			}
			case RETRY -> {
				// Store holds first, so that meanwhile no handler gets another message of
				// the queue or group
				this.holdWriter.hold(this.partition, batch);
				yield this.pending.settle(this.partition,
						batch.stream().map((one) -> one.toRetry(settings, process)).toList());
			}
			case DEAD_LETTER -> this.pending.settle(this.partition,
					batch.stream().map((one) -> one.toDeath(settings, process)).toList());
		};
	}

	/** Requests a sweep if messages are due earlier than before. */
	private void wakeSweeper(Settlements settlements) {
		if (settlements.unparked() > 0) {
			this.state.partition(this.partition).parked();
			this.listener.newHead(this.partition, 0);
		}
		else if (settlements.headMillis() > 0) {
			this.listener.newHead(this.partition, Due.leftNanos(settlements.headMillis(), settlements.nowMicros()));
		}
	}

	/** Frees the permits of all deliveries whose settlement the partition refuses. */
	private void strandAll() {
		takeIn();
		this.lines.values().forEach((line) -> line.waiting.forEach(this::strand));
	}

	private void strand(Settlement settlement) {
		if (settlement.task().stage() == Stage.SETTLING) {
			this.state.refused(settlement.task());
		}
	}

	/** Derives the lost answer to a settlement from the answer to its repetition. */
	private static Settled ofARepeat(Settled answer) {
		return switch (answer) {
			case COUNTED, GONE -> Settled.COUNTED;
			case SUPERSEDED -> Settled.GONE;
		};
	}

}
