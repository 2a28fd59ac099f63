package io.delayqueue.store;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.jspecify.annotations.Nullable;

/**
 * The finished ids and calls of the oracle, each with whether its window lasts or has
 * ended at once.
 */
final class OracleMemory {

	private final SortedMap<String, Boolean> finished = new TreeMap<>();

	private final SortedMap<String, Boolean> ended = new TreeMap<>();

	private final SortedMap<String, Stored> replacing = new TreeMap<>();

	private final SortedMap<String, Boolean> moves = new TreeMap<>();

	private final SortedMap<String, Cancel> cancels = new TreeMap<>();

	private final SortedMap<String, Counted> counts = new TreeMap<>();

	void finished(String name, boolean lasts) {
		this.finished.put(name, lasts);
	}

	boolean isFinished(String name) {
		return this.finished.getOrDefault(name, false);
	}

	/** The message of a call was handled, cancelled or discarded. */
	void ended(String token, boolean lasts) {
		this.ended.put(token, lasts);
	}

	/** Known until it is removed, even if its window has ended. */
	boolean isEnded(String token) {
		return this.ended.containsKey(token);
	}

	/** A call has replaced another message with its own. */
	void replaced(String token, Stored answer) {
		this.replacing.put(token, answer);
	}

	/** The first answer to a call whose message is stored. */
	Stored stored(String token) {
		return this.replacing.getOrDefault(token, Stored.CREATED);
	}

	/** A call to reschedule has moved its message. */
	void moved(String call, boolean lasts) {
		this.moves.put(call, lasts);
	}

	boolean hasMoved(String call) {
		return this.moves.containsKey(call);
	}

	/** The answer of a cancel call. */
	void answered(String call, Cancelled answer, boolean lasts) {
		this.cancels.put(call, new Cancel(answer, lasts));
	}

	Optional<Cancelled> answer(String call) {
		return Optional.ofNullable(this.cancels.get(call)).map(Cancel::answer);
	}

	/** The counts of a redrive, discard or purge call by word. */
	void counted(String call, Map<String, Integer> counts, boolean lasts) {
		this.counts.put(call, new Counted(counts, lasts));
	}

	/** The counts of a call, empty if it has counted nothing. */
	Optional<Map<String, Integer>> counts(String call) {
		return Optional.ofNullable(this.counts.get(call)).map(Counted::counts);
	}

	/** Removes ended windows, as sweeps and the calls of producers and operators do. */
	void forget() {
		this.finished.values().removeIf((lasts) -> !lasts);
		this.ended.values().removeIf((lasts) -> !lasts);
		this.moves.values().removeIf((lasts) -> !lasts);
		this.cancels.values().removeIf((cancel) -> !cancel.lasts());
		this.counts.values().removeIf((counted) -> !counted.lasts());
	}

	void expect(ExpectedDump dump) {
		this.finished.keySet().forEach((id) -> dump.done(id, 0));
		this.ended.keySet().forEach((token) -> dump.done("\0" + token, 0));
		this.replacing.forEach((token, answer) -> dump.done(answer.name().toLowerCase(Locale.ROOT) + "\0" + token, 0));
		this.moves.keySet().forEach((call) -> dump.done("rescheduled\0" + call, 0));
		this.cancels.forEach((call, cancel) -> {
			String word = cancel.answer().name().toLowerCase(Locale.ROOT).replace('_', '-');
			dump.done(word + "\0" + call, 0);
		});
		this.counts.forEach((call, counted) -> counted.counts().forEach((word, count) -> {
			if (count > 0) {
				dump.done(word + "\0" + call, 0);
			}
		}));
	}

	private record Counted(Map<String, Integer> counts, boolean lasts) {
	}

	private record Cancel(Cancelled answer, boolean lasts) {
	}

}
