package io.delayqueue.process;

import java.time.Duration;
import java.util.List;

import io.delayqueue.process.fixture.Servers;

/**
 * A run under load in which the partition count of queues changes.
 *
 * @param kind the kind of servers
 * @param counts the partition counts, one after the other
 * @param seed the seed of the load and of the kills
 * @param seconds how long messages are scheduled
 * @param rate the number of messages each second
 * @param killSeconds the time between two kills
 */
record LoadPlan(Servers.Kind kind, List<Integer> counts, long seed, int seconds, int rate, int killSeconds) {

	static final int QUOTA = 3;

	static final int MAX_ATTEMPTS = 3;

	static final int PROCESSES = 4;

	/**
	 * The shortest possible window, so that an epoch ends soon after its last message.
	 */
	static final Duration DONE_WINDOW = Duration.ofSeconds(10);

	/**
	 * The queues: one with quotas of groups, one with strict groups, one without groups,
	 * and a paused one.
	 */
	static final List<String> QUEUES = List.of("limited", "strict", "chosen", "paused");

	/**
	 * The plan of the system properties {@code repartition.seed}, {@code .seconds},
	 * {@code .rate} and {@code .kill-seconds}.
	 */
	static LoadPlan of(Servers.Kind kind, Integer... counts) {
		return new LoadPlan(kind, List.of(counts), Long.getLong("repartition.seed", System.nanoTime()),
				Integer.getInteger("repartition.seconds", 30), Integer.getInteger("repartition.rate", 500),
				Integer.getInteger("repartition.kill-seconds", 5));
	}

	/** The number of spare processes: one for each kill, and one more. */
	int spares() {
		return this.seconds / this.killSeconds + 1;
	}

	/** Whether a spare process takes over after the first change of the count. */
	boolean isLate(int spare) {
		return (spare + 1) * this.killSeconds >= this.seconds / (this.counts.size() + 1);
	}

	static String[] properties() {
		return new String[] { "logging.level.root=warn", "spring.data.redis.timeout=1s",
				"delayqueue.defaults.visibility-timeout=3s", "worker.observed=false",
				"spring.data.redis.jedis.pool.max-active=" + LoadProducer.THREADS,
				"delayqueue.defaults.done-window=" + DONE_WINDOW.toMillis() + "ms",
				"delayqueue.defaults.done-window-of-generated-ids=" + DONE_WINDOW.toMillis() + "ms",
				"delayqueue.defaults.max-attempts=" + MAX_ATTEMPTS, "delayqueue.defaults.max-crashes=10",
				"delayqueue.defaults.back-off.first=50ms", "delayqueue.queues.limited.group.quota=" + QUOTA,
				"delayqueue.queues.strict.group.concurrency=1" };
	}

}
