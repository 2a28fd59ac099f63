package io.delayqueue.soak;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.test.redis.RedisServer;

/**
 * Draws faults and lets them happen, one after the other. Workers that stand still go on
 * while other faults happen.
 */
final class Faults {

	private static final int SHORTEST_PAUSE_MILLIS = 200;

	private static final int LONGEST_PAUSE_MILLIS = 800;

	private static final long LONGEST_WAIT_MILLIS = 12_000;

	private static final Duration LONG_BEFORE_THE_END = Duration.ofSeconds(10);

	private final SoakPlan plan;

	private final Servers servers;

	private final Fleet fleet;

	private final Journal journal;

	private final Writer writer;

	private final Random random;

	private final List<Fault> lots = new ArrayList<>();

	private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

	/** When each frozen worker goes on, ns. */
	private final Map<Integer, Long> frozen = new HashMap<>();

	private long endNanos;

	Faults(SoakPlan plan, Servers servers, Fleet fleet, Journal journal, Writer writer) {
		this.plan = plan;
		this.servers = servers;
		this.fleet = fleet;
		this.journal = journal;
		this.writer = writer;
		this.random = new Random(plan.seed());
		plan.faults().forEach((fault, weight) -> {
			for (int i = 0; i < weight; i++) {
				this.lots.add(fault);
			}
		});
		this.lots.sort(null);
	}

	/** How often each of them has happened. */
	Map<Fault, Integer> happened() {
		return this.happened;
	}

	/** Goes on for as long as planned, and leaves everything running. */
	void run() {
		this.endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(this.plan.seconds());
		while (true) {
			pause(SHORTEST_PAUSE_MILLIS + this.random.nextInt(LONGEST_PAUSE_MILLIS - SHORTEST_PAUSE_MILLIS));
			resumeWhoseTimeHasCome(System.nanoTime());
			if (System.nanoTime() - this.endNanos > 0 || this.lots.isEmpty()) {
				break;
			}
			Fault fault = this.lots.get(this.random.nextInt(this.lots.size()));
			int worker = this.random.nextInt(this.fleet.size());
			int length = this.random.nextInt(1000);
			if (happen(fault, worker, length)) {
				this.happened.merge(fault, 1, Integer::sum);
			}
		}
		resumeWhoseTimeHasCome(Long.MAX_VALUE);
	}

	private void resumeWhoseTimeHasCome(long now) {
		Set<Integer> due = new HashSet<>();
		this.frozen.forEach((worker, until) -> {
			if (until <= now) {
				this.fleet.resume(worker);
				due.add(worker);
			}
		});
		this.frozen.keySet().removeAll(due);
	}

	/**
	 * Lets it happen.
	 * @param fault what
	 * @param worker to which worker, if it is one that happens to a worker
	 * @param length a number from 0 to 999 for how long it takes
	 * @return whether it happened: a worker that is only starting is left alone
	 */
	private boolean happen(Fault fault, int worker, int length) {
		RedisServer redis = this.servers.all().get(length % this.servers.all().size());
		switch (fault) {
			case KILL_WORKER -> {
				if (!this.fleet.get(worker).isReady() || this.fleet.down() >= this.plan.down()) {
					return false;
				}
				this.frozen.remove(worker);
				this.fleet.kill(worker);
			}
			case FREEZE_WORKER -> {
				if (!freeze(worker)) {
					return false;
				}
				long millis = (length < 500) ? 500 : 2 * SoakPlan.VISIBILITY_TIMEOUT.toMillis();
				this.frozen.put(worker, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
			}
			case FREEZE_WORKER_UNTIL_REDELIVERED -> {
				if (!freeze(worker)) {
					return false;
				}
				awaitRedelivery(this.fleet.get(worker).name());
				this.fleet.resume(worker);
			}
			case KILL_REDIS -> {
				outage("killed");
				redis.kill();
				redis.start();
				outage(Checker.OVER);
			}
			case FREEZE_REDIS -> {
				outage("frozen");
				redis.freeze();
				pause(length);
				redis.resume();
				outage(Checker.OVER);
			}
			case CLIENT_KILL -> tell(redis, "CLIENT", "KILL", "TYPE", "normal");
			case SCRIPT_FLUSH -> tell(redis, "SCRIPT", "FLUSH");
			case CLIENT_PAUSE -> {
				outage("paused");
				tell(redis, "CLIENT", "PAUSE", Integer.toString(length / 2));
				pause(length / 2);
				outage(Checker.OVER);
			}
			case DEBUG_SLEEP -> {
				outage("busy");
				tell(redis, "DEBUG", "SLEEP", Double.toString(length / 2000.0));
				outage(Checker.OVER);
			}
			case REFUSE_WRITES -> {
				tell(redis, "CONFIG", "SET", "min-replicas-to-write", "1");
				pause(SoakPlan.VISIBILITY_TIMEOUT.toMillis() * (1000 + length) / 1000);
				tell(redis, "CONFIG", "SET", "min-replicas-to-write", "0");
			}
			case REFUSE_DEAD_LETTERS -> {
				String dead = key(length, "dead");
				// Only while there is something to do
				return this.endNanos - System.nanoTime() > LONG_BEFORE_THE_END.toNanos()
						&& new DeadLetterRefusal(this.servers.of(dead), dead, this.journal, this.writer)
							.happen(this::running, Duration.ofSeconds(this.plan.drain()));
			}
			case REFUSE_SETTLEMENTS -> {
				String command = (length < 500) ? "xdel" : "xack";
				tell(redis, "ACL", "SETUSER", "default", "-" + command);
				pause(SoakPlan.VISIBILITY_TIMEOUT.toMillis() * (1000 + length) / 1000);
				tell(redis, "ACL", "SETUSER", "default", "+" + command);
			}
			case DAMAGE -> {
				String key = key(length, (length < 500) ? "scheduled" : "entries");
				this.writer.add(AnswerChecker.DAMAGED, key, 0, "-");
				tell(this.servers.of(key), "DEL", key);
			}
		}
		return true;
	}

	private boolean freeze(int worker) {
		if (!this.fleet.get(worker).isReady() || this.frozen.containsKey(worker)) {
			return false;
		}
		this.fleet.freeze(worker);
		return true;
	}

	private static String key(int length, String name) {
		return "dq:{" + SoakPlan.QUEUE + ":" + length % SoakPlan.PARTITIONS + "}:" + name;
	}

	/** Those of them that run and do not stand still. */
	private Set<String> running(Set<String> workers) {
		Set<String> running = new HashSet<>();
		for (int i = 0; i < this.fleet.size(); i++) {
			String name = this.fleet.get(i).name();
			if (workers.contains(name) && !this.frozen.containsKey(i)) {
				running.add(name);
			}
		}
		return running;
	}

	private void outage(String kind) {
		this.writer.add("outage", Checker.REDIS, 0, kind);
	}

	private static void tell(RedisServer redis, String... command) {
		try {
			redis.call(command);
		}
		catch (UncheckedIOException cut) {
			// It cut this connection too, or Redis did not answer in time: that is all
			// right
		}
	}

	/** Waits until a message that began in a worker began elsewhere, or long enough. */
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
		int seen = lines.size();
		while (!held.isEmpty() && System.nanoTime() - end < 0) {
			lines = this.journal.linesFrom(seen);
			if (lines.stream().anyMatch((line) -> line.event().equals("begin") && held.contains(line.id()))) {
				return;
			}
			seen += lines.size();
			pause(5);
		}
	}

	static void pause(long millis) {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
