package io.delayqueue.soak;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.test.redis.RedisServer;

/**
 * A key of another program takes the name of a partition's dead letters, so that Redis
 * refuses each new one. Workers with a refused settlement must acknowledge their other
 * handled messages, also of that partition, and go on. The dead letters return when the
 * workers have done so, or after a long time, which the journal then records.
 */
final class DeadLetterRefusal {

	/** The wait until a settlement is refused. */
	private static final int LONGEST_WAIT_MILLIS = 5_000;

	/**
	 * The wait until settlements have collected behind the refused one, if they wait at
	 * all.
	 */
	private static final int GATHERING_MILLIS = 1_000;

	private static final int STEP_MILLIS = 50;

	/** Enough settlements to prove progress: more than a worker has permits. */
	private static final int ENOUGH = 20;

	/** Changes nothing when it runs again. */
	private static final String PUT_ASIDE = """
			if redis.call('TYPE', KEYS[1]).ok == 'string' then
			  return
			end
			if redis.call('EXISTS', KEYS[1]) == 1 then
			  redis.call('RENAME', KEYS[1], KEYS[2])
			end
			redis.call('SET', KEYS[1], 'of another program')""";

	/** Changes nothing when it runs again. */
	private static final String PUT_BACK = """
			if redis.call('TYPE', KEYS[1]).ok ~= 'string' then
			  return
			end
			redis.call('DEL', KEYS[1])
			if redis.call('EXISTS', KEYS[2]) == 1 then
			  redis.call('RENAME', KEYS[2], KEYS[1])
			end""";

	private final RedisServer redis;

	private final String dead;

	private final Journal journal;

	private final Writer writer;

	/** The number of lines in the journal before the refusal. */
	private final int first;

	DeadLetterRefusal(RedisServer redis, String dead, Journal journal, Writer writer) {
		this.redis = redis;
		this.dead = dead;
		this.journal = journal;
		this.writer = writer;
		this.first = journal.lines().size();
	}

	/**
	 * Injects the fault.
	 * @param running returns the running workers among the given ones
	 * @param longest the time within which these must make progress
	 * @return whether a settlement of a worker was refused
	 */
	boolean happen(UnaryOperator<Set<String>> running, Duration longest) {
		call(PUT_ASIDE);
		Set<String> refused = Set.of();
		for (int i = 0; i < LONGEST_WAIT_MILLIS && refused.isEmpty(); i += STEP_MILLIS) {
			Faults.pause(STEP_MILLIS);
			refused = running.apply(refused());
		}
		if (!refused.isEmpty()) {
			Faults.pause(GATHERING_MILLIS);
			awaitProgress(running.apply(refused()), longest);
		}
		call(PUT_BACK);
		return !refused.isEmpty();
	}

	private void call(String script) {
		Faults.repeat(this.redis, "EVAL", script, "2", this.dead, this.dead + "-aside");
	}

	private Set<String> refused() {
		Set<String> refused = new HashSet<>();
		for (Line line : this.journal.linesFrom(this.first)) {
			if (line.event().equals("unsettled")) {
				refused.add(line.process());
			}
		}
		return refused;
	}

	private void awaitProgress(Set<String> workers, Duration longest) {
		int mark = this.journal.linesFrom(this.first).size();
		long end = System.nanoTime() + longest.toNanos();
		for (String worker : workers) {
			while (!makesProgress(worker, mark)) {
				if (System.nanoTime() - end > 0) {
					this.writer.add("standstill", worker, 0, this.dead);
					break;
				}
				Faults.pause(STEP_MILLIS);
			}
		}
	}

	/**
	 * Whether a worker has settled all messages that it had handled by then, and enough
	 * messages since.
	 */
	private boolean makesProgress(String worker, int mark) {
		Set<String> handled = new HashSet<>();
		int settled = 0;
		List<Line> lines = this.journal.linesFrom(this.first);
		for (int i = 0; i < lines.size(); i++) {
			Line line = lines.get(i);
			if (line.process().equals(worker)) {
				// A run that was replaced meanwhile has no settlement that counts
				boolean isReplaced = line.more().startsWith(String.valueOf(SoakWorker.DEBOUNCED));
				if (line.event().equals("success") && i < mark && !isReplaced) {
					handled.add(line.id());
				}
				else if (Checker.ENDS.contains(line.event())) {
					handled.remove(line.id());
					settled += (i < mark) ? 0 : 1;
				}
			}
		}
		return handled.isEmpty() && settled >= ENOUGH;
	}

}
