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
 * A key of another program is where a partition has its dead letters, so that Redis
 * refuses each new one. Workers that were refused any settlement must acknowledge what
 * else they have handled, of that partition too, and go on: the dead letters come back
 * when they were seen to do so, or after a long time, which is then in the journal.
 */
final class DeadLetterRefusal {

	/** Until a settlement is refused. */
	private static final int LONGEST_WAIT_MILLIS = 5_000;

	/** Until what waits behind it has gathered, if anything does. */
	private static final int GATHERING_MILLIS = 1_000;

	private static final int STEP_MILLIS = 50;

	/** So many settlements show that a worker goes on, and more than it has permits. */
	private static final int ENOUGH = 20;

	private static final String PUT_ASIDE = """
			if redis.call('EXISTS', KEYS[1]) == 1 then
			  redis.call('RENAME', KEYS[1], KEYS[2])
			end
			redis.call('SET', KEYS[1], 'of another program')""";

	private static final String PUT_BACK = """
			redis.call('DEL', KEYS[1])
			if redis.call('EXISTS', KEYS[2]) == 1 then
			  redis.call('RENAME', KEYS[2], KEYS[1])
			end""";

	private final RedisServer redis;

	private final String dead;

	private final Journal journal;

	private final Writer writer;

	/** The lines of the journal before it. */
	private final int first;

	DeadLetterRefusal(RedisServer redis, String dead, Journal journal, Writer writer) {
		this.redis = redis;
		this.dead = dead;
		this.journal = journal;
		this.writer = writer;
		this.first = journal.lines().size();
	}

	/**
	 * Lets it happen.
	 * @param running those of some workers that run
	 * @param longest how long these have to go on
	 * @return whether a worker was refused a settlement
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
		this.redis.call("EVAL", script, "2", this.dead, this.dead + "-aside");
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
			while (!goesOn(worker, mark)) {
				if (System.nanoTime() - end > 0) {
					this.writer.add("standstill", worker, 0, this.dead);
					break;
				}
				Faults.pause(STEP_MILLIS);
			}
		}
	}

	/** Whether it has settled all that it had handled by then, and enough since. */
	private boolean goesOn(String worker, int mark) {
		Set<String> handled = new HashSet<>();
		int settled = 0;
		List<Line> lines = this.journal.linesFrom(this.first);
		for (int i = 0; i < lines.size(); i++) {
			Line line = lines.get(i);
			if (line.process().equals(worker)) {
				if (line.event().equals("success") && i < mark) {
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
