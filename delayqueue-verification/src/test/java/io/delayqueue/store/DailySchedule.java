package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.RecurringCalls.Answer;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RecurringSteps.Advanced;
import io.delayqueue.store.RecurringSteps.After;
import io.delayqueue.store.RecurringSteps.Progress;
import io.delayqueue.store.RecurringSteps.Step;
import org.jspecify.annotations.Nullable;

/**
 * Calls about one recurring schedule, {@code daily}. Where a call takes the time of
 * Redis, its instants are relative to this time.
 */
final class DailySchedule {

	static final Epochs EPOCHS = Epochs.first("orders", TestStore.PARTITIONS);

	static final Epochs NEWER = new Epochs("orders", TestStore.PARTITIONS, EPOCHS.epochs())
		.announce(1, TestStore.PARTITIONS)
		.activate();

	static final QueueSettings SETTINGS = TestStore.settings(TestStore.PARTITIONS, Duration.ofDays(1),
			GroupSettings.NONE);

	private DailySchedule() {
	}

	/** A definition: every 10 minutes in generation {@code gen1}, else every 11. */
	static NewDefinition definition(String generation, long storedMicros, @Nullable String group, OverlapPolicy overlap,
			String expiry) {
		Duration every = Duration.ofMinutes(generation.equals("gen1") ? 10 : 11);
		return new NewDefinition("daily", generation, storedMicros, storedMicros, group,
				new RecurringFields(new Recurrence(null, null, every, null, null), MissedPolicy.ALL, overlap, expiry,
						null),
				"\npayload".getBytes(StandardCharsets.UTF_8));
	}

	static Answer put(TestStore store, NewDefinition definition, Instant first) {
		return new RecurringCalls(store.calls()).put(store.partition(), EPOCHS, SETTINGS, definition, first, true,
				true);
	}

	static Changed put(TestStore store, String generation, @Nullable String group, long now) {
		return put(store, definition(generation, now * 1000, group, OverlapPolicy.ALLOW, "+60000"), first(now))
			.changed();
	}

	static @Nullable DueDefinition findIfStored(TestStore store) {
		return new RecurringCalls(store.calls()).find(store.partition(), "daily", false).definition();
	}

	static DueDefinition find(TestStore store) {
		return Objects.requireNonNull(findIfStored(store));
	}

	static void stop(TestStore store, Stop stop) {
		new RecurringCalls(store.calls()).stop(store.partition(), "daily", "", stop);
	}

	/** Resumes a paused definition. */
	static Answer resume(TestStore store, DueDefinition paused, @Nullable Instant next) {
		return new RecurringCalls(store.calls()).resume(store.partition(), paused, true, next);
	}

	static void resume(TestStore store, long now) {
		resume(store, find(store), first(now));
	}

	/** Reads the due definitions. */
	static Advanced read(TestStore store) {
		return advance(store, List.of());
	}

	static Advanced advance(TestStore store, List<Step> steps) {
		return new RecurringSteps(store.calls()).advance(store.partition(), EPOCHS, steps, 10, After.BEGIN, false);
	}

	/** Advances the definition as if its instant had come, with a late occurrence. */
	static List<Progress> advance(TestStore store, long now) {
		return advance(store, new DueDefinition("daily", first(now).toEpochMilli(), find(store).record()), now);
	}

	static List<Progress> advance(TestStore store, DueDefinition due, long now) {
		String generation = due.record().state().generation();
		List<Occurrence> occurrences = List.of(Occurrence.of(generation, late(now)),
				Occurrence.of(generation, next(now)));
		return advance(store, List.of(new Step(due, next(now).toEpochMilli(), occurrences, 0, 0))).progress();
	}

	static Instant first(long now) {
		return Instant.ofEpochMilli(now + 600_000);
	}

	static Instant late(long now) {
		return Instant.ofEpochMilli(now - 5_000);
	}

	static Instant next(long now) {
		return Instant.ofEpochMilli(now + 1_200_000);
	}

	/** Takes the ready occurrences, and returns the ids of those that it has settled. */
	static List<String> takeAll(TestStore store) {
		List<String> ids = new ArrayList<>();
		for (Entry entry : store.take("holder")) {
			if (store.acknowledge(entry).contains(Settled.COUNTED)) {
				ids.add(entry.id());
			}
		}
		return ids;
	}

	/** The content of a partition without times of Redis. */
	static Map<String, Object> state(TestPartition partition) {
		Map<String, Object> state = new TreeMap<>();
		PartitionDump dump = partition.dump();
		state.put("messages", Set.copyOf(dump.messages().keySet()));
		state.put("scheduled", dump.scheduled().keySet().toString());
		state.put("instant", String.valueOf(partition.redis().call("ZSCORE", partition.key(Key.RECURRENCES), "daily")));
		Object definition = partition.redis().call("HGET", partition.key(Key.RECURRING), "daily");
		state.put("groups", dump.toString().contains("g\0"));
		if (definition != null) {
			state.put("definition", definition.toString().replaceAll("^(1 \\S+ \\d+) [1-9]\\d*", "$1 paused"));
		}
		return state;
	}

}
