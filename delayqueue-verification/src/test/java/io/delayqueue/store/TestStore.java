package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.redis.StoreException;
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
import io.delayqueue.store.PendingMessages.Retry;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.PendingMessages.Unhandled;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Page;
import io.delayqueue.store.Repairs.Position;
import io.delayqueue.store.Repairs.Repaired;
import io.delayqueue.store.ScheduledMessages.Answer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.domain.Range;
import org.springframework.data.redis.connection.RedisStreamCommands.XPendingOptions;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Short calls of the store for one partition, as other packages make them.
 */
final class TestStore extends StoreObjects {

	/** The layout of the scripts. */
	static final String LAYOUT = Layouts.KNOWN;

	private static final int MANY = 1000;

	/** The token of each call that removes or redrives, null for a new one per call. */
	private final @Nullable String token;

	TestStore(RedisTemplate<String, byte[]> template, KeySpace keySpace, Partition partition) {
		this(new RedisCalls(template, keySpace), partition, GroupSettings.NONE, null);
	}

	private TestStore(RedisCalls calls, Partition partition, GroupSettings groups, @Nullable String token) {
		super(calls, partition, groups);
		this.token = token;
	}

	/** The same partition with other settings of groups. */
	TestStore with(GroupSettings groups) {
		return new TestStore(calls(), partition(), groups, this.token);
	}

	/**
	 * The same partition, where each redrive, discard or purge is a repeat of one call.
	 */
	TestStore repeating(int token) {
		return new TestStore(calls(), partition(), settings().groups(), TestMessages.token(token));
	}

	private String token() {
		return (this.token != null) ? this.token : CallToken.next();
	}

	/** The message that a key means, in this partition. */
	Candidate candidate(MessageKey key) {
		return new Candidate(partition(), StoredId.of(key), key.group() == null);
	}

	/** The message as an application sees it. */
	Optional<MessageSnapshot> find(MessageKey key) {
		KnownMessages.Found found = known().find(candidate(key));
		return Optional.ofNullable(found.message())
			.map(KnownMessages::snapshot)
			.or(() -> Optional.ofNullable(found.ended()).map(Ended::snapshot));
	}

	/** Turns a switch; returns the state of both, without the times. */
	List<Boolean> control(Switch which, boolean on) {
		Setting setting = partitionControl().turn(partition(), which, on);
		return List.of(setting.pausedSinceMillis() > 0, setting.drainingSinceMillis() > 0);
	}

	Purged purge(boolean deadLetters, String... ids) {
		return purges().purge(partition(), token(), WINDOW, deadLetters, false, meant(ids));
	}

	/** The messages that calls with these ids and without a group mean. */
	private List<StoredId> meant(String... ids) {
		return Arrays.stream(ids).map((id) -> {
			List<StoredId> meant = groups().meant(candidate(TestMessages.key(id)));
			return leases().isStored(partition(), meant.get(0)) ? meant.get(0) : meant.get(meant.size() - 1);
		}).toList();
	}

	/** Removes messages of a group, not its dead letters. */
	Purged purgeGroup(String group, String... ids) {
		return purges().purge(partition(), token(), WINDOW, false, true,
				Arrays.stream(ids).map((id) -> new StoredId(id, group)).toList());
	}

	/** A first page. */
	List<Listed> list(MessageState state) {
		return pages().list(partition(), state, Pages.Position.BEGIN, MANY).messages();
	}

	/** Runs a whole pass of repair. */
	List<Repaired> repair() {
		List<Repaired> repaired = new ArrayList<>();
		for (Position position = Position.BEGIN; !position.isEnd();) {
			Page page = repairs().repair(partition(), position);
			repaired.addAll(page.repaired());
			position = page.next();
		}
		return repaired;
	}

	Counts audit() {
		return repairs().audit(partition());
	}

	ScheduledMessages.Answers schedule(Partition partition, QueueSettings settings, List<NewMessage> messages) {
		return scheduled().schedule(partition, Epochs.first(settings.name(), settings.partitions()), settings,
				messages);
	}

	List<Answer> schedule(NewMessage... messages) {
		return schedule(partition(), settings(), List.of(messages)).answers();
	}

	Answer schedule(String id, long dueMillis, int token) {
		return schedule(TestMessages.message(id, dueMillis, token)).get(0);
	}

	int sweep() {
		return sweep(MANY, MANY, "").moved();
	}

	Swept sweep(int batchSize, int highWaterMark, String behind) {
		return due().sweep(partition(), limits(batchSize, highWaterMark), behind, "none", 0);
	}

	/** Sweeps, and takes at most so many messages in the same call. */
	Swept sweepAndTake(String consumer, int most) {
		return due().sweep(partition(), limits(100, 100), "", consumer, most);
	}

	/** Sweeps, moves at most so many messages, and takes them in the same call. */
	Swept moveAndTake(String consumer, int most) {
		return due().sweep(partition(), limits(100, 100).forDelivery(most), "", consumer, most);
	}

	private SweepLimits limits(int batchSize, int highWaterMark) {
		return SweepLimits.of(batchSize, highWaterMark, settings());
	}

	List<Entry> read(String consumer) {
		return ready().read(partition(), consumer, MANY).entries();
	}

	/** Sweeps, and reads all that is ready. */
	List<Entry> take(String consumer) {
		sweep();
		return read(consumer);
	}

	List<Settled> acknowledge(Entry... handled) {
		return pending()
			.acknowledge(partition(), WINDOW,
					Arrays.stream(handled).map((entry) -> acknowledgement(entry, WINDOW)).toList())
			.each();
	}

	static Acknowledgement acknowledgement(Entry handled, Duration window) {
		byte[] record = handled.record();
		String token = (record != null) ? MessageRecord.from(record).envelope().token() : TestMessages.token(0);
		return new Acknowledgement(handled.entry(), handled.storedId(), token, window);
	}

	List<Settled> release(long dueMillis, Entry... unstarted) {
		return pending()
			.settle(partition(),
					Arrays.stream(unstarted)
						.map((entry) -> new Release(entry.entry(), entry.storedId(), dueMillis, true))
						.toList())
			.each();
	}

	/** Releases a message that was due, regardless of the clock. */
	List<Settled> giveBack(long dueMillis, Entry read) {
		return pending().settle(partition(), List.of(new Release(read.entry(), read.storedId(), dueMillis))).each();
	}

	Settled deadLetter(Entry failed, String reason) {
		return pending()
			.settle(partition(),
					List.of(new Death(failed.entry(), failed.storedId(), reason, true,
							settings().groups().countDead())))
			.each()
			.get(0);
	}

	/**
	 * Releases the first message, dead-letters the second one, retries the third one
	 * without its slot, defers the fourth one with its slot, and so on, in one call.
	 */
	Settlements settleMixed(List<Entry> held) {
		List<Unhandled> batch = new ArrayList<>();
		for (Entry entry : held) {
			batch.add(switch (batch.size() % 4) {
				case 0 -> new Release(entry.entry(), entry.storedId(), States.DUE, true);
				case 1 -> new Death(entry.entry(), entry.storedId(), "it broke", true, false);
				case 2 -> new Retry(entry.entry(), entry.storedId(), Duration.ZERO, "it broke", false, false);
				default -> new Retry(entry.entry(), entry.storedId(), Duration.ZERO, null, true, false);
			});
		}
		return pending().settle(partition(), batch);
	}

	Settled retry(Entry failed, String reason) {
		return retry(failed, Duration.ZERO, reason, false).each().get(0);
	}

	Settlements retry(Entry failed, Duration wait, @Nullable String reason, boolean keepsSlot) {
		return pending().settle(partition(),
				List.of(new Retry(failed.entry(), failed.storedId(), wait, reason, keepsSlot, false)));
	}

	/**
	 * Reclaims all pending messages, however recent; each of them ran alone in its
	 * process.
	 */
	Found reclaim() {
		try {
			byte[] ready = calls().key(partition(), Key.READY);
			calls()
				.command(partition(), Key.READY,
						(connection) -> connection.streamCommands()
							.xPending(ready, KeySpace.GROUP, XPendingOptions.unbounded((long) MANY)))
				.stream()
				.filter((lease) -> isInStream(ready, lease.getIdAsString()))
				.forEach((lease) -> pending().isolate(partition(), lease.getConsumerName(), lease.getIdAsString(),
						true));
		}
		catch (StoreException ignored) {
			// The reclaim reports the failure
		}
		return reclaimBesideOthers();
	}

	/** Whether a pending entry was not deleted: XCLAIM would end its lease. */
	private boolean isInStream(byte[] ready, String entry) {
		return !calls()
			.command(partition(), Key.READY,
					(connection) -> connection.streamCommands().xRange(ready, Range.closed(entry, entry)))
			.isEmpty();
	}

	/** Reclaims all pending messages, however recent, of processes with others. */
	Found reclaimBesideOthers() {
		return leases().reclaim(partition(), new Rules(Duration.ZERO, MAX_CRASHES, "it fell silent",
				Duration.ofDays(100_000), settings().groups().countDead(), ""), false, 1, Duration.ZERO);
	}

	/** Reclaims nothing, and stores what the history keeps. */
	Found keep(String history) {
		return leases().reclaim(partition(), new Rules(Duration.ofSeconds(30), MAX_CRASHES, "it fell silent",
				Duration.ofDays(100_000), settings().groups().countDead(), history), true, 0, Duration.ZERO);
	}

	/** All ends, the latest first. */
	List<Ended> ends() {
		return history().list(partition(), History.Position.BEGIN, false, MANY);
	}

	Redriven redrive(String... ids) {
		return deadLetters().redrive(partition(), token(), WINDOW, settings().groups().quota(),
				meant(ids).stream().map((id) -> new Redrive(id, Duration.ZERO)).toList());
	}

	/** Redrives the dead letter {@code a} with another content. */
	Redriven edit(long diedMillis) {
		return deadLetters().redrive(partition(), token(), WINDOW, settings().groups().quota(), new StoredId("a", null),
				diedMillis, new Envelope(CallToken.next(), null, Map.of("h", "v"), Reply.bytes("edited")));
	}

	int discard(String... ids) {
		return deadLetters().discard(partition(), token(), WINDOW, meant(ids));
	}

	Cancelled cancel(String id, int token) {
		return cancel(id, TestMessages.token(token), true);
	}

	/** Cancels the message without a group, or of any group. */
	Cancelled cancel(String id, String token, boolean anyGroup) {
		return known().cancel(new Candidate(partition(), new StoredId(id, null), anyGroup), token, WINDOW).cancelled();
	}

	MoveAnswer reschedule(String id, long dueMillis) {
		return reschedule(id, dueMillis, CallToken.next());
	}

	MoveAnswer reschedule(String id, long dueMillis, String token) {
		return reschedule(id, dueMillis, token, true);
	}

	/** Reschedules the message without a group, or of any group. */
	MoveAnswer reschedule(String id, long dueMillis, String token, boolean anyGroup) {
		return known().reschedule(new Candidate(partition(), new StoredId(id, null), anyGroup),
				Due.at(Instant.ofEpochMilli(dueMillis)), MAX_DELAY, token, WINDOW);
	}

}
