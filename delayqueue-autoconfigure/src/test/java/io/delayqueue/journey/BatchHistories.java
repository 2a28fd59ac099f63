package io.delayqueue.journey;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayedMessage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The runs of each message in batches, and what follows from what was said of them: which
 * attempt the next one is, whether it is alone in its batch, and which is the last.
 * Entered by several threads, asked by one.
 */
final class BatchHistories {

	// shared and safe

	/** By payload, as most ids are generated. */
	private final Map<Integer, List<Run>> runs = new ConcurrentHashMap<>();

	private final long seed;

	// of the test's thread

	private final int mostAttempts;

	private final Map<Integer, String> ids = new HashMap<>();

	private final Set<String> dead = new HashSet<>();

	BatchHistories(long seed, int mostAttempts) {
		this.seed = seed;
		this.mostAttempts = mostAttempts;
	}

	/** What a listener says of a message. */
	enum Said {

		DONE, FAILS, DEFERS,

		/** The whole batch fails. */
		ALL_FAIL,

		/** Nothing that anybody hears. */
		NOTHING;

		/** Mostly that it is done; never of the whole batch. */
		static Said random(Random random) {
			int number = random.nextInt(20);
			return (number < 12) ? DONE : (number < 16) ? FAILS : DEFERS;
		}

	}

	/**
	 * One run of a message.
	 *
	 * @param id its id
	 * @param attempt what the message was told to be
	 * @param messages how many were in its batch
	 * @param said what the listener said
	 */
	private record Run(String id, int attempt, int messages, Said said) {
	}

	/** The same for the same run of a message, whichever thread has it. */
	Random random(DelayedMessage<Integer> message) {
		int before = runsOf(message.payload()).size();
		return new Random(this.seed ^ (Objects.hash(message.payload(), before) * 0x9E3779B97F4A7C15L));
	}

	/** A message was accepted under this id. */
	void accepted(int payload, String id) {
		this.ids.put(payload, id);
	}

	/** A message was run in a batch of so many. */
	void enter(DelayedMessage<Integer> message, int messages, Said said) {
		this.runs.computeIfAbsent(message.payload(), (payload) -> new CopyOnWriteArrayList<>())
			.add(new Run(message.id(), message.attempt(), messages, said));
	}

	boolean hasBegun(int payload) {
		return !runsOf(payload).isEmpty();
	}

	private List<Run> runsOf(int payload) {
		return this.runs.getOrDefault(payload, List.of());
	}

	/**
	 * A message was run as what was said of it before demands, and not once more.
	 * @param silenced whether the process that had it first fell silent
	 */
	void assertEnded(int payload, boolean silenced) {
		String id = this.ids.get(payload);
		List<Run> history = runsOf(payload);
		assertThat(history).as(id).isNotEmpty().extracting(Run::id).containsOnly(id);
		int failures = 0;
		int crashes = (silenced && history.get(0).said() != Said.NOTHING) ? 1 : 0;
		for (int i = 0; i < history.size(); i++) {
			Run run = history.get(i);
			assertThat(run.attempt()).as("attempt of run %d of %s: %s", i, id, history)
				.isEqualTo(failures + crashes + 1);
			if (crashes > 0) {
				assertThat(run.messages()).as("beside run %d of %s: %s", i, id, history).isOne();
			}
			failures += (run.said() == Said.FAILS || run.said() == Said.ALL_FAIL) ? 1 : 0;
			crashes += (run.said() == Said.NOTHING) ? 1 : 0;
			boolean ends = run.said() == Said.DONE || failures == this.mostAttempts;
			assertThat(ends).as("run %d of %s is the last: %s", i, id, history).isEqualTo(i == history.size() - 1);
		}
		assertThat(crashes).as("crashes of %s: %s", id, history).isEqualTo(silenced ? 1 : 0);
		if (failures == this.mostAttempts) {
			this.dead.add(id);
		}
	}

	/** Those that ended as dead letters. */
	Set<String> dead() {
		return this.dead;
	}

	@Override
	public String toString() {
		long all = this.runs.values().stream().mapToLong(List::size).sum();
		return this.runs.size() + " messages in " + all + " runs, " + this.dead.size() + " dead";
	}

}
