package io.delayqueue.fleet;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.delayqueue.MessageKey;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.End;
import io.delayqueue.store.EpochCalls.Remaining;
import io.delayqueue.store.PartitionControl;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.PendingMessages.Acknowledgement;
import io.delayqueue.store.PendingMessages.Death;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Repairs;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The queue of a {@link GrowthSequence}: the steps of a {@link Repartitioner}, one by
 * one, and those of a consumer.
 */
final class GrowingQueue {

	static final String NAME = "orders";

	/**
	 * The window of finished ids: it lasts for the whole sequence, or a step ends it at
	 * once.
	 */
	static final Duration WINDOW = Duration.ofMinutes(10);

	private static final SweepLimits LIMITS = new SweepLimits(100, 100, GroupLimit.NONE, Map.of());

	private final DelayQueueEngine engine;

	private final RedisTemplate<String, byte[]> template;

	private final String prefix;

	private final EpochCalls epochCalls;

	private final DueMessages due;

	private final ReadyMessages ready;

	private final PendingMessages pending;

	private final Set<Partition> used = new HashSet<>();

	GrowingQueue(DelayQueueEngine engine, RedisTemplate<String, byte[]> template, String prefix) {
		this.engine = engine;
		this.template = template;
		this.prefix = prefix;
		this.epochCalls = new EpochCalls(engine.calls());
		this.due = new DueMessages(engine.calls());
		this.ready = new ReadyMessages(engine.calls());
		this.pending = new PendingMessages(engine.calls());
	}

	Epochs epochs() {
		Epochs epochs = this.engine.directory()
			.read(NAME)
			.orElseGet(() -> this.engine.directory().register(this.engine.queues().settings(NAME)));
		this.used.addAll(epochs.partitions());
		return epochs;
	}

	/** Announces another count, unless there are too many epochs. */
	void announce(int partitions) {
		Epochs epochs = epochs();
		if (epochs.newest().announced() || epochs.older().size() == Epochs.MOST_OLDER
				|| partitions == epochs.current().partitions()) {
			return;
		}
		Repairs repairs = new Repairs(this.engine.calls());
		for (Partition partition : epochs.partitions()) {
			this.epochCalls.prepare(partition);
			repairs.repairDead(partition);
		}
		Epochs announced = epochs.announce(partitions, epochs.raised());
		assertThat(this.engine.directory().change(epochs, announced)).isTrue();
		PartitionControl.Setting switches = new PartitionControl(this.engine.calls())
			.of(epochs.partitions(epochs.current()).get(0));
		announced.partitions(announced.newest())
			.forEach((partition) -> this.epochCalls.layOut(partition, partitions, switches, List.of()));
	}

	/** Closes all partitions before an announced epoch, and makes it the current one. */
	void activate() {
		Epochs epochs = epochs();
		if (epochs.newest().announced()) {
			older().forEach((partition) -> this.epochCalls.close(partition, epochs.activate()));
			assertThat(this.engine.directory().change(epochs, epochs.activate())).isTrue();
		}
	}

	/** Closes one of the partitions before the newest epoch, which may be announced. */
	void close(int number) {
		List<Partition> older = older();
		if (!older.isEmpty()) {
			this.epochCalls.close(older.get(number % older.size()), epochs().activate());
		}
	}

	private List<Partition> older() {
		Epochs epochs = epochs().activate();
		return epochs.older().stream().flatMap((epoch) -> epochs.partitions(epoch).stream()).toList();
	}

	/** Closes older epochs, carries their dead letters, and ends empty epochs. */
	void end() {
		Epochs epochs = epochs();
		DeadLetterCarrier carrier = new DeadLetterCarrier(this.engine.queues(), this.epochCalls,
				this.engine.directory());
		List<Epoch> older = new ArrayList<>(epochs.older());
		Collections.reverse(older);
		for (Epoch epoch : older) {
			boolean ended = true;
			for (Partition partition : epochs.partitions(epoch)) {
				Remaining remaining = this.epochCalls.remaining(partition);
				if (remaining.end() == End.OPEN) {
					this.epochCalls.close(partition, epochs);
				}
				else if (remaining.isOnlyDead()) {
					assertThat(carrier.carry(partition, epochs)).isEqualTo(DeadLetterCarrier.Progress.COMPLETE);
				}
				End end = this.epochCalls.remaining(partition).end();
				ended &= end == End.ENDED || (end == End.RECEIVED && epoch.equals(epochs.older().get(0)));
			}
			if (ended && epochs.partitions(epoch).stream().allMatch(this.epochCalls::end)
					&& this.engine.directory().change(epochs, epochs.without(epoch.number()))) {
				return;
			}
		}
	}

	/** Ends the windows of all finished ids and moved dead letters. */
	void endWindows() {
		epochs();
		this.used.forEach((partition) -> this.template.delete(this.prefix + ":{" + partition + "}:done"));
	}

	/** Takes the only message that is due. */
	Entry take(MessageKey key, int epoch) {
		Partition partition = home(key, epoch);
		List<Entry> entries = this.due.sweep(partition, LIMITS, "", "consumer", 10).read().entries();
		assertThat(entries).extracting(Entry::id).containsExactly(key.id());
		return entries.get(0);
	}

	void acknowledge(MessageKey key, int epoch, Entry entry, Duration window) {
		byte[] record = entry.record();
		assertThat(record).isNotNull();
		this.pending.acknowledge(home(key, epoch), window, List.of(new Acknowledgement(entry.entry(), entry.storedId(),
				MessageRecord.from(record).envelope().token(), window)));
	}

	void deadLetter(MessageKey key, int epoch, Entry entry) {
		this.pending.settle(home(key, epoch),
				List.of(new Death(entry.entry(), entry.storedId(), "refused", true, false)));
	}

	private Partition home(MessageKey key, int epoch) {
		return Partitioner.of(key,
				epochs().epochs().stream().filter((one) -> one.number() == epoch).findFirst().orElseThrow());
	}

	/** Each stored id with its partitions, wherever a partition has ever been. */
	Map<String, List<Partition>> stored() {
		epochs();
		Map<String, List<Partition>> stored = new TreeMap<>();
		for (Partition partition : this.used) {
			byte[] key = (this.prefix + ":{" + partition + "}:messages").getBytes(StandardCharsets.UTF_8);
			Set<byte[]> ids = this.template
				.execute((RedisCallback<Set<byte[]>>) (connection) -> connection.hashCommands().hKeys(key));
			Objects.requireNonNull(ids)
				.forEach((id) -> stored
					.computeIfAbsent(new String(id, StandardCharsets.UTF_8), (absent) -> new ArrayList<>())
					.add(partition));
		}
		return stored;
	}

	boolean isHome(MessageKey key, Partition partition) {
		Epochs epochs = epochs();
		return epochs.contains(partition) && partition.equals(home(key, partition.epoch()));
	}

}
