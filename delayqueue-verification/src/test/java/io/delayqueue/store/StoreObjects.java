package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;

/**
 * The objects of the store that call Redis for one partition, and its queue's settings.
 */
abstract class StoreObjects {

	static final Duration MAX_DELAY = Duration.ofDays(36_500);

	static final Duration WINDOW = Duration.ofMinutes(10);

	/** After so many crashes a message is dead-lettered. */
	static final int MAX_CRASHES = 3;

	static final int PARTITIONS = 1;

	/** The most messages that a container handles at once. */
	static final int CONCURRENCY = 10;

	private final Partition partition;

	private final QueueSettings settings;

	private final RedisCalls calls;

	private final ScheduledMessages scheduled;

	private final KnownMessages known;

	private final DueMessages due;

	private final ReadyMessages ready;

	private final PendingMessages pending;

	private final Leases leases;

	private final DeadLetters deadLetters;

	private final List<String> heldEntries = new ArrayList<>();

	private final HeldMessages held = (in, entries, how) -> this.heldEntries.addAll(entries);

	StoreObjects(RedisCalls calls, Partition partition, GroupSettings groups) {
		this.partition = partition;
		this.settings = settings(PARTITIONS, MAX_DELAY, groups);
		this.calls = calls;
		this.scheduled = new ScheduledMessages(this.calls, this.held);
		this.known = new KnownMessages(this.calls, this.held);
		this.due = new DueMessages(this.calls);
		this.ready = new ReadyMessages(this.calls);
		this.pending = new PendingMessages(this.calls);
		this.leases = new Leases(this.calls);
		this.deadLetters = new DeadLetters(this.calls);
	}

	QueueSettings settings() {
		return this.settings;
	}

	/** The settings of the queue that the store uses. */
	static QueueSettings settings(int partitions, Duration maxDelay, GroupSettings groups) {
		RetrySettings retry = new RetrySettings(5, MAX_CRASHES, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", partitions, CONCURRENCY, Duration.ofSeconds(30), maxDelay, 1000, WINDOW,
				WINDOW, retry, groups, ExpirySettings.NEVER, FlowSettings.NONE, EndSettings.NONE);
	}

	Partition partition() {
		return this.partition;
	}

	RedisCalls calls() {
		return this.calls;
	}

	/** The entries of messages that calls have removed while a consumer held them. */
	List<String> heldEntries() {
		return this.heldEntries;
	}

	KnownMessages known() {
		return this.known;
	}

	ScheduledMessages scheduled() {
		return this.scheduled;
	}

	DueMessages due() {
		return this.due;
	}

	ReadyMessages ready() {
		return this.ready;
	}

	PendingMessages pending() {
		return this.pending;
	}

	Leases leases() {
		return this.leases;
	}

	DeadLetters deadLetters() {
		return this.deadLetters;
	}

	PartitionControl partitionControl() {
		return new PartitionControl(this.calls);
	}

	Pages pages() {
		return new Pages(this.calls);
	}

	Groups groups() {
		return new Groups(this.calls);
	}

	Consumers consumers() {
		return new Consumers(this.calls);
	}

	Snapshots snapshots() {
		return new Snapshots(this.calls);
	}

	Repairs repairs() {
		return new Repairs(this.calls);
	}

	History history() {
		return new History(this.calls);
	}

	Purges purges() {
		return new Purges(this.calls, this.held);
	}

}
