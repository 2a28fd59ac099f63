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

import io.delayqueue.DelayQueueException;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;

/**
 * Draws faults and injects them one after the other. Frozen workers are resumed while
 * other faults happen.
 */
final class Faults {

	private static final int SHORTEST_PAUSE_MILLIS = 200;

	private static final int LONGEST_PAUSE_MILLIS = 800;

	private static final long LONGEST_WAIT_MILLIS = 12_000;

	/** Much longer than a restarted node of a cluster refuses keys. */
	private static final Duration LONGEST_REFUSAL = Duration.ofMinutes(1);

	private static final int MOST_PARTITIONS = 12;

	private static final Duration LONG_BEFORE_THE_END = Duration.ofSeconds(20);

	private final SoakPlan plan;

	private final Servers servers;

	private final Fleet fleet;

	private final DelayQueueAdmin admin;

	private final Journal journal;

	private final Writer writer;

	private final Random random;

	private final List<Fault> lots = new ArrayList<>();

	private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

	/** The time to resume each frozen worker, ns. */
	private final Map<Integer, Long> frozen = new HashMap<>();

	private long endNanos;

	Faults(SoakPlan plan, Servers servers, Fleet fleet, DelayQueueAdmin admin, Journal journal, Writer writer) {
		this.plan = plan;
		this.servers = servers;
		this.fleet = fleet;
		this.admin = admin;
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

	/** The number of injected faults of each kind. */
	Map<Fault, Integer> happened() {
		return this.happened;
	}

	/** Runs for the planned time, and leaves everything running. */
	void run() {
		this.endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(this.plan.seconds());
		while (true) {
			pause(SHORTEST_PAUSE_MILLIS + this.random.nextInt(LONGEST_PAUSE_MILLIS - SHORTEST_PAUSE_MILLIS));
			resumeDue(System.nanoTime());
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
		resumeDue(Long.MAX_VALUE);
	}

	private void resumeDue(long now) {
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
	 * Injects a fault.
	 * @param fault the fault
	 * @param worker the affected worker, if the fault affects one
	 * @param length a number from 0 to 999 for its duration
	 * @return whether it was injected: a starting worker is skipped
	 */
	private boolean happen(Fault fault, int worker, int length) {
		RedisServer redis = this.servers.all().get(length % this.servers.all().size());
		switch (fault) {
			case KILL_WORKER -> {
				return kill(worker);
			}
			case KILL_TWO_WORKERS -> {
				return kill(worker) & kill(next(worker));
			}
			case FREEZE_WORKER -> {
				return freezeFor(worker, length);
			}
			case FREEZE_TWO_WORKERS -> {
				return freezeFor(worker, length) & freezeFor(next(worker), length);
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
			case CLIENT_KILL -> send(redis, "CLIENT", "KILL", "TYPE", "normal");
			case SCRIPT_FLUSH -> send(redis, "SCRIPT", "FLUSH");
			case CLIENT_PAUSE -> {
				outage("paused");
				send(redis, "CLIENT", "PAUSE", Integer.toString(length / 2));
				pause(length / 2);
				outage(Checker.OVER);
			}
			case DEBUG_SLEEP -> {
				outage("busy");
				send(redis, "DEBUG", "SLEEP", Double.toString(length / 2000.0));
				outage(Checker.OVER);
			}
			case REFUSE_WRITES -> {
				send(redis, "CONFIG", "SET", "min-replicas-to-write", "1");
				pause(SoakPlan.VISIBILITY_TIMEOUT.toMillis() * (1000 + length) / 1000);
				send(redis, "CONFIG", "SET", "min-replicas-to-write", "0");
			}
			case REFUSE_DEAD_LETTERS -> {
				String dead = key(length, "dead");
				// Faults are injected only while there is work left
				return this.endNanos - System.nanoTime() > LONG_BEFORE_THE_END.toNanos()
						&& new DeadLetterRefusal(this.servers.of(dead), dead, this.journal, this.writer)
							.happen(this::running, Duration.ofSeconds(this.plan.drain()));
			}
			case REFUSE_SETTLEMENTS -> {
				String command = List.of("xdel", "xtrim", "xack").get(length % 3);
				send(redis, "ACL", "SETUSER", "default", "-" + command);
				pause(SoakPlan.VISIBILITY_TIMEOUT.toMillis() * (1000 + length) / 1000);
				send(redis, "ACL", "SETUSER", "default", "+" + command);
			}
			case REPARTITION -> {
				return repartition(1 + length % MOST_PARTITIONS);
			}
			case HOLD -> {
				// A hold of the longest kind would end after the last message
				return this.endNanos - System.nanoTime() > LONG_BEFORE_THE_END.toNanos() && hold(length);
			}
			case DAMAGE -> {
				String key = key(length, (length < 500) ? "scheduled" : "entries");
				this.writer.add(AnswerChecker.DAMAGED, key, 0, "-");
				repeat(this.servers.of(key), "DEL", key);
			}
		}
		return true;
	}

	/** The longest holds are longer than a process needs to learn of them. */
	private boolean hold(int length) {
		String group = LimitedQueue.group(length % LimitedQueue.GROUPS);
		boolean ofQueue = length % 3 == 0;
		Duration duration = Duration.ofMillis(ofQueue ? 300 + length : 500 + 10L * length);
		try {
			QueueHold hold = ofQueue ? this.admin.hold(LimitedQueue.NAME, duration, "soak")
					: this.admin.hold(LimitedQueue.NAME, group, duration, "soak");
			this.writer.add(LimitedQueue.HELD, ofQueue ? LimitedQueue.NAME : group, 0, hold.until().toEpochMilli());
			return true;
		}
		catch (DelayQueueException away) {
			return false;
		}
	}

	private boolean repartition(int partitions) {
		this.writer.add(AnswerChecker.REPARTITION, SoakPlan.QUEUE, 0, Integer.toString(partitions));
		try {
			return this.admin.repartition(SoakPlan.QUEUE, partitions).partitions() == partitions;
		}
		catch (DelayQueueException pending) {
			// The change is refused because two earlier counts have not ended, or Redis
			// is away
			return false;
		}
	}

	private int next(int worker) {
		return (worker + 1) % this.fleet.size();
	}

	private boolean kill(int worker) {
		if (!this.fleet.get(worker).isReady() || this.fleet.down() >= this.plan.down()) {
			return false;
		}
		this.frozen.remove(worker);
		this.fleet.kill(worker);
		return true;
	}

	private boolean freezeFor(int worker, int length) {
		if (!freeze(worker)) {
			return false;
		}
		long millis = (length < 500) ? 500 : 2 * SoakPlan.VISIBILITY_TIMEOUT.toMillis();
		this.frozen.put(worker, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
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

	/** Returns those of the given workers that run and are not frozen. */
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

	private static void send(RedisServer redis, String... command) {
		try {
			redis.call(command);
		}
		catch (UncheckedIOException cut) {
			// The command cut this connection too, or Redis did not answer in time: both
			// are expected
		}
	}

	/**
	 * Sends a command, which must change nothing the second time, until the server
	 * executes it: a node of a cluster refuses keys for some seconds after its restart.
	 */
	static void repeat(RedisServer redis, String... command) {
		long end = System.nanoTime() + LONGEST_REFUSAL.toNanos();
		while (true) {
			try {
				redis.call(command);
				return;
			}
			catch (RespException | UncheckedIOException refused) {
				boolean passes = !(refused instanceof RespException error) || error.code().equals("CLUSTERDOWN");
				if (!passes || System.nanoTime() - end > 0) {
					throw refused;
				}
				pause(SHORTEST_PAUSE_MILLIS);
			}
		}
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
