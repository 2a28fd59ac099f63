package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.Leases.Rules;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.PendingMessages.Acknowledgement;
import io.delayqueue.store.PendingMessages.Death;
import io.delayqueue.store.PendingMessages.Release;
import io.delayqueue.store.PendingMessages.Retried;
import io.delayqueue.store.PendingMessages.Retry;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Page;
import io.delayqueue.store.Repairs.Position;
import io.delayqueue.store.Repairs.Repaired;
import io.delayqueue.store.ScheduledMessages.Answer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.RedisTemplate;

/**
 * Short calls of the store for one partition, as other packages make them.
 */
final class TestStore {

	static final Duration MAX_DELAY = Duration.ofDays(36_500);

	static final Duration WINDOW = Duration.ofMinutes(10);

	/** After so many crashes a message is dead-lettered. */
	static final int MAX_CRASHES = 3;

	static final int PARTITIONS = 1;

	/** The layout of the scripts. */
	static final String LAYOUT = Layouts.KNOWN;

	/** The most messages that a container handles at once. */
	static final int CONCURRENCY = 10;

	private static final int MANY = 1000;

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

	/** The token of each call that removes or redrives, null for a new one per call. */
	private final @Nullable String token;

	TestStore(RedisTemplate<String, byte[]> template, KeySpace keySpace, Partition partition) {
		this(new RedisCalls(template, keySpace), partition, GroupSettings.NONE, null);
	}

	private TestStore(RedisCalls calls, Partition partition, GroupSettings groups, @Nullable String token) {
		this.partition = partition;
		this.settings = settings(PARTITIONS, MAX_DELAY, groups);
		this.calls = calls;
		this.scheduled = new ScheduledMessages(this.calls, this::held);
		this.known = new KnownMessages(this.calls, this::held);
		this.due = new DueMessages(this.calls);
		this.ready = new ReadyMessages(this.calls);
		this.pending = new PendingMessages(this.calls);
		this.leases = new Leases(this.calls);
		this.deadLetters = new DeadLetters(this.calls);
		this.token = token;
	}

	/** The same partition with other settings of groups. */
	TestStore with(GroupSettings groups) {
		return new TestStore(this.calls, this.partition, groups, this.token);
	}

	/**
	 * The same partition, where each redrive, discard or purge is a repeat of one call.
	 */
	TestStore repeating(int token) {
		return new TestStore(this.calls, this.partition, this.settings.groups(), TestMessages.token(token));
	}

	private String token() {
		return (this.token != null) ? this.token : CallToken.next();
	}

	/** The settings of the queue that the store uses. */
	static QueueSettings settings(int partitions, Duration maxDelay, GroupSettings groups) {
		RetrySettings retry = new RetrySettings(5, MAX_CRASHES, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", partitions, CONCURRENCY, Duration.ofSeconds(30), maxDelay, 1000, WINDOW,
				WINDOW, retry, groups, ExpirySettings.NEVER, FlowSettings.NONE, EndSettings.NONE);
	}

	QueueSettings settings() {
		return this.settings;
	}

	Partition partition() {
		return this.partition;
	}

	RedisCalls calls() {
		return this.calls;
	}

	/** The message as an application sees it. */
	Optional<MessageSnapshot> find(MessageKey key) {
		KnownMessages.Found found = this.known.find(this.partition, key);
		return Optional.ofNullable(found.message())
			.map((message) -> KnownMessages.snapshot(key, message))
			.or(() -> Optional.ofNullable(found.ended()).map(Ended::snapshot));
	}

	private void held(Partition partition, List<String> entries) {
		this.heldEntries.addAll(entries);
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

	/** Turns a switch; returns the state of both, without the times. */
	List<Boolean> control(Switch which, boolean on) {
		Setting setting = partitionControl().turn(this.partition, which, on);
		return List.of(setting.pausedSinceMillis() > 0, setting.drainingSinceMillis() > 0);
	}

	Purged purge(boolean deadLetters, String... ids) {
		return new Purges(this.calls, this::held).purge(this.partition, token(), WINDOW, deadLetters, null,
				List.of(ids));
	}

	/** Removes messages of a group, not its dead letters. */
	Purged purgeGroup(String group, String... ids) {
		return new Purges(this.calls, this::held).purge(this.partition, token(), WINDOW, false, group, List.of(ids));
	}

	Pages pages() {
		return new Pages(this.calls);
	}

	/** A first page. */
	List<Listed> list(MessageState state) {
		return pages().list(this.partition, state, Pages.Position.BEGIN, MANY).messages();
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

	/** Runs a whole pass of repair. */
	List<Repaired> repair() {
		List<Repaired> repaired = new ArrayList<>();
		for (Position position = Position.BEGIN; !position.isEnd();) {
			Page page = repairs().repair(this.partition, position);
			repaired.addAll(page.repaired());
			position = page.next();
		}
		return repaired;
	}

	Counts audit() {
		return repairs().audit(this.partition);
	}

	ScheduledMessages.Answers schedule(Partition partition, QueueSettings settings, List<NewMessage> messages) {
		return this.scheduled.schedule(partition, Epochs.first(settings.name(), settings.partitions()), settings,
				messages);
	}

	List<Answer> schedule(NewMessage... messages) {
		return schedule(this.partition, this.settings, List.of(messages)).answers();
	}

	Answer schedule(String id, long dueMillis, int token) {
		return schedule(TestMessages.message(id, dueMillis, token)).get(0);
	}

	int sweep() {
		return sweep(MANY, MANY, "").moved();
	}

	Swept sweep(int batchSize, int highWaterMark, String behind) {
		return this.due.sweep(this.partition, limits(batchSize, highWaterMark), behind, "none", 0);
	}

	/** Sweeps, and takes at most so many messages in the same call. */
	Swept sweepAndTake(String consumer, int most) {
		return this.due.sweep(this.partition, limits(100, 100), "", consumer, most);
	}

	/** Sweeps, moves at most so many messages, and takes them in the same call. */
	Swept moveAndTake(String consumer, int most) {
		return this.due.sweep(this.partition, limits(100, 100).forDelivery(most), "", consumer, most);
	}

	private SweepLimits limits(int batchSize, int highWaterMark) {
		return SweepLimits.of(batchSize, highWaterMark, this.settings);
	}

	List<Entry> read(String consumer) {
		return this.ready.read(this.partition, consumer, MANY).entries();
	}

	/** Sweeps, and reads all that is ready. */
	List<Entry> take(String consumer) {
		sweep();
		return read(consumer);
	}

	List<Settled> acknowledge(Entry... handled) {
		return this.pending
			.acknowledge(this.partition, WINDOW,
					Arrays.stream(handled).map((entry) -> acknowledgement(entry, WINDOW)).toList())
			.each();
	}

	static Acknowledgement acknowledgement(Entry handled, Duration window) {
		byte[] record = handled.record();
		String token = (record != null) ? MessageRecord.from(record).envelope().token() : TestMessages.token(0);
		return new Acknowledgement(handled.entry(), handled.id(), token, window);
	}

	List<Settled> release(long dueMillis, Entry... unstarted) {
		return this.pending.release(this.partition,
				Arrays.stream(unstarted)
					.map((entry) -> new Release(entry.entry(), entry.id(), dueMillis, true))
					.toList());
	}

	/** Releases a message that was due, regardless of the clock. */
	List<Settled> giveBack(long dueMillis, Entry read) {
		return this.pending.release(this.partition, List.of(new Release(read.entry(), read.id(), dueMillis)));
	}

	Settled deadLetter(Entry failed, String reason) {
		return this.pending
			.deadLetter(this.partition, failed.entry(), failed.id(),
					new Death(reason, true, this.settings.groups().countDead()))
			.each()
			.get(0);
	}

	Settled retry(Entry failed, String reason) {
		return retry(failed, Duration.ZERO, reason, false).settled();
	}

	Retried retry(Entry failed, Duration wait, @Nullable String reason, boolean keepsSlot) {
		return this.pending.retry(this.partition, failed.entry(), failed.id(),
				new Retry(wait, reason, keepsSlot, false));
	}

	/** Reclaims all pending messages, however recent. */
	Found reclaim() {
		return this.leases.reclaim(this.partition, new Rules(Duration.ZERO, MAX_CRASHES, "it fell silent",
				Duration.ofDays(100_000), this.settings.groups().countDead(), ""), false, 1, Duration.ZERO);
	}

	/** Reclaims nothing, and stores what the history keeps. */
	Found keep(String history) {
		return this.leases.reclaim(this.partition, new Rules(Duration.ofSeconds(30), MAX_CRASHES, "it fell silent",
				Duration.ofDays(100_000), this.settings.groups().countDead(), history), true, 0, Duration.ZERO);
	}

	History history() {
		return new History(this.calls);
	}

	/** All ends, the latest first. */
	List<Ended> ends() {
		return history().list(this.partition, History.Position.BEGIN, false, MANY);
	}

	Redriven redrive(String... ids) {
		return this.deadLetters.redrive(this.partition, token(), WINDOW, this.settings.groups().quota(), null,
				Arrays.stream(ids).map((id) -> new Redrive(id, Duration.ZERO)).toList());
	}

	int discard(String... ids) {
		return this.deadLetters.discard(this.partition, token(), WINDOW, null, List.of(ids));
	}

	Cancelled cancel(String id, int token) {
		return this.known.cancel(this.partition, TestMessages.key(id), TestMessages.token(token), WINDOW).cancelled();
	}

	MoveAnswer reschedule(String id, long dueMillis) {
		return reschedule(id, dueMillis, CallToken.next());
	}

	MoveAnswer reschedule(String id, long dueMillis, String token) {
		return this.known.reschedule(this.partition, TestMessages.key(id), Due.at(Instant.ofEpochMilli(dueMillis)),
				MAX_DELAY, token, WINDOW);
	}

}
