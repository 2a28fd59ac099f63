package io.delayqueue.soak;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Line;

/**
 * Kills and freezes workers. A starting worker is skipped, and a frozen worker is not
 * frozen again. Frozen workers are resumed while other faults happen.
 */
final class WorkerFaults {

	private static final long LONGEST_WAIT_MILLIS = 12_000;

	private final Fleet fleet;

	/** The most workers that may be starting at once. */
	private final int down;

	/** Longer than a silent process stays in the list of members. */
	private final Duration longFreeze;

	private final Journal journal;

	/** The time to resume each frozen worker, ns. */
	private final Map<Integer, Long> frozen = new HashMap<>();

	WorkerFaults(Fleet fleet, int down, Duration longFreeze, Journal journal) {
		this.fleet = fleet;
		this.down = down;
		this.longFreeze = longFreeze;
		this.journal = journal;
	}

	boolean kill(int worker) {
		if (!this.fleet.get(worker).isReady() || this.fleet.down() >= this.down) {
			return false;
		}
		this.frozen.remove(worker);
		this.fleet.kill(worker);
		return true;
	}

	boolean killTwo(int worker) {
		return kill(worker) & kill(next(worker));
	}

	boolean freezeFor(int worker, int length) {
		if (!freeze(worker)) {
			return false;
		}
		long millis = (length < 500) ? 500 : 2 * SoakPlan.VISIBILITY_TIMEOUT.toMillis();
		this.frozen.put(worker, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
		return true;
	}

	boolean freezeLong(int worker, int length) {
		if (!freeze(worker)) {
			return false;
		}
		this.frozen.put(worker,
				System.nanoTime() + this.longFreeze.toNanos() + TimeUnit.MILLISECONDS.toNanos(10 * length));
		return true;
	}

	boolean freezeTwoFor(int worker, int length) {
		return freezeFor(worker, length) & freezeFor(next(worker), length);
	}

	boolean freezeUntilRedelivered(int worker) {
		if (!freeze(worker)) {
			return false;
		}
		awaitRedelivery(this.fleet.get(worker).name());
		this.fleet.resume(worker);
		return true;
	}

	private boolean freeze(int worker) {
		if (!this.fleet.get(worker).isReady() || this.frozen.containsKey(worker)) {
			return false;
		}
		this.fleet.freeze(worker);
		return true;
	}

	private int next(int worker) {
		return (worker + 1) % this.fleet.size();
	}

	/** Resumes the workers that were frozen until a time, ns. */
	void resumeDue(long now) {
		Set<Integer> due = new HashSet<>();
		this.frozen.forEach((worker, until) -> {
			if (until <= now) {
				this.fleet.resume(worker);
				due.add(worker);
			}
		});
		this.frozen.keySet().removeAll(due);
	}

	/** Resumes all frozen workers, and waits until all workers work. */
	void awaitAll() {
		resumeDue(Long.MAX_VALUE);
		this.fleet.awaitReady();
	}

	/** Returns those of the given workers that run and are not frozen. */
	Set<String> running(Set<String> workers) {
		Set<String> running = new HashSet<>();
		for (int i = 0; i < this.fleet.size(); i++) {
			String name = this.fleet.get(i).name();
			if (workers.contains(name) && !this.frozen.containsKey(i)) {
				running.add(name);
			}
		}
		return running;
	}

	/**
	 * Waits until a message that began in a worker begins elsewhere, or for a bounded
	 * time.
	 */
	private void awaitRedelivery(String worker) {
		long end = System.nanoTime() + Duration.ofMillis(LONGEST_WAIT_MILLIS).toNanos();
		Set<String> held = new HashSet<>();
		List<Line> lines = this.journal.lines();
		for (Line line : lines) {
			if (line.process().equals(worker)) {
				if (line.event().equals("begin")) {
					held.add(line.id());
				}
				else if (Checker.ENDS.contains(line.event())) {
					held.remove(line.id());
				}
			}
		}
		int read = lines.size();
		while (!held.isEmpty() && System.nanoTime() - end < 0) {
			lines = this.journal.linesFrom(read);
			if (lines.stream().anyMatch((line) -> line.event().equals("begin") && held.contains(line.id()))) {
				return;
			}
			read += lines.size();
			Faults.pause(5);
		}
	}

}
