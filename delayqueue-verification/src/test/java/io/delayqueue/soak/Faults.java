package io.delayqueue.soak;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.delayqueue.DelayQueueException;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;

/**
 * Draws faults and injects them one after the other.
 */
final class Faults {

	private static final int SHORTEST_PAUSE_MILLIS = 200;

	private static final int LONGEST_PAUSE_MILLIS = 800;

	/** Much longer than a restarted node of a cluster refuses keys. */
	private static final Duration LONGEST_REFUSAL = Duration.ofMinutes(1);

	private static final int MOST_PARTITIONS = 12;

	/** A call waits 1 s for an answer, and may be repeated. */
	private static final Duration LONGEST_CALL = Duration.ofSeconds(2);

	private static final Duration LONG_BEFORE_THE_END = Duration.ofSeconds(20);

	private final SoakPlan plan;

	private final Servers servers;

	private final Fleet fleet;

	private final WorkerFaults workers;

	private final FullWorkerKill fullWorker;

	private final Deployment deployment;

	private final DelayQueueAdmin admin;

	private final Journal journal;

	private final Writer writer;

	private final Random random;

	private final List<Fault> lots = new ArrayList<>();

	private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);

	private long endNanos;

	Faults(SoakPlan plan, Servers servers, Fleet fleet, DelayQueueEngine engine, Journal journal, Writer writer) {
		this.plan = plan;
		this.servers = servers;
		this.fleet = fleet;
		this.workers = new WorkerFaults(fleet, plan.down(), Duration.ofSeconds(plan.frozen()), journal);
		this.fullWorker = new FullWorkerKill(fleet, engine.operations(), journal, writer);
		this.deployment = new Deployment(fleet, Duration.ofSeconds(plan.frozen()), engine.recurring(), writer);
		this.admin = engine.admin();
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
			this.workers.resumeDue(System.nanoTime());
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
		this.workers.resumeDue(Long.MAX_VALUE);
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
				return this.workers.kill(worker);
			}
			case KILL_TWO_WORKERS -> {
				return this.workers.killTwo(worker);
			}
			case FREEZE_WORKER -> {
				return this.workers.freezeFor(worker, length);
			}
			case FREEZE_WORKER_LONG -> {
				return this.workers.freezeLong(worker, length);
			}
			case KILL_FULL_WORKER -> {
				return isLongBeforeTheEnd() && happen(this.fullWorker::happen);
			}
			case FREEZE_WORKER_IN_DEPLOYMENT -> {
				return isLongBeforeTheEnd() && happen(this.deployment::happen);
			}
			case FREEZE_TWO_WORKERS -> {
				return this.workers.freezeTwoFor(worker, length);
			}
			case FREEZE_WORKER_UNTIL_REDELIVERED -> {
				return this.workers.freezeUntilRedelivered(worker);
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
			case FREEZE_REDIS_LONG -> {
				this.workers.awaitAll();
				pause(SickMasterChecker.BEFORE_MILLIS);
				outage("frozen");
				redis.freeze();
				this.writer.add(SickMasterChecker.FROZEN, Checker.REDIS, 0, redis.port());
				pause(LONGEST_CALL.toMillis() * (3000 + length) / 1000);
				this.writer.add(SickMasterChecker.RESUMED, Checker.REDIS, 0, redis.port());
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
				return isLongBeforeTheEnd()
						&& new DeadLetterRefusal(this.servers.of(dead), dead, this.journal, this.writer)
							.happen(this.workers::running, Duration.ofSeconds(this.plan.drain()));
			}
			case REFUSE_SETTLEMENTS -> {
				String command = List.of("xdel", "xtrim", "xack").get(length / 334);
				send(redis, "ACL", "SETUSER", "default", "-" + command);
				pause(SoakPlan.VISIBILITY_TIMEOUT.toMillis() * (1000 + length) / 1000);
				send(redis, "ACL", "SETUSER", "default", "+" + command);
			}
			case REFUSE_HINTS -> {
				send(redis, "ACL", "SETUSER", "default", "-publish");
				pause(3 * SoakPlan.VISIBILITY_TIMEOUT.toMillis());
				send(redis, "ACL", "SETUSER", "default", "+publish");
			}
			case REPARTITION -> {
				return repartition(1 + length % MOST_PARTITIONS);
			}
			case FILL_REDIS -> {
				this.servers.all().forEach((server) -> send(server, "CONFIG", "SET", "maxmemory", "1mb"));
				repartition(1 + length % MOST_PARTITIONS);
				pause(SoakPlan.VISIBILITY_TIMEOUT.toMillis() * (1000 + length) / 1000);
				this.servers.all().forEach((server) -> repeat(server, "CONFIG", "SET", "maxmemory", "0"));
			}
			case HOLD -> {
				// A hold of the longest kind would end after the last message
				return isLongBeforeTheEnd() && hold(length);
			}
			case DAMAGE -> {
				String key = key(length, (length < 500) ? "scheduled" : "entries");
				this.writer.add(AnswerChecker.DAMAGED, key, 0, "-");
				repeat(this.servers.of(key), "DEL", key);
			}
		}
		return true;
	}

	/** Faults that last are injected only while there is work left. */
	private boolean isLongBeforeTheEnd() {
		return this.endNanos - System.nanoTime() > LONG_BEFORE_THE_END.toNanos();
	}

	/** Injects a fault for which all workers must run. */
	private boolean happen(Runnable fault) {
		this.workers.awaitAll();
		try {
			fault.run();
			return true;
		}
		catch (DelayQueueException away) {
			return false;
		}
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

	private static String key(int length, String name) {
		return "dq:{" + SoakPlan.QUEUE + ":" + length % SoakPlan.PARTITIONS + "}:" + name;
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

	static void pause(long millis) {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
