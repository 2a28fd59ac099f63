package io.delayqueue.process;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.test.redis.RespClient;

/**
 * Looks at the epochs of the queues several times a second: when each one begins and
 * ends, when it has its last message, and how many dead letters are left in it then.
 */
final class EpochWatch implements AutoCloseable {

	private static final long EVERY_MILLIS = 250;

	private static final String EPOCHS = "dq:{members}:epochs";

	private final ProcessHarness harness;

	private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

	/** The epochs by queue and number; written by the watching thread only. */
	private final Map<String, Seen> seen = new ConcurrentHashMap<>();

	// confined to the thread

	private final Map<Partition, RespClient> clients = new HashMap<>();

	EpochWatch(ProcessHarness harness) {
		this.harness = harness;
		this.thread.scheduleWithFixedDelay(() -> LoadPlan.QUEUES.forEach(this::look), 0, EVERY_MILLIS,
				TimeUnit.MILLISECONDS);
	}

	/**
	 * An epoch.
	 *
	 * @param firstMillis when it was seen first
	 * @param lastMillis when it had a message last that was not dead
	 * @param endMillis when it was not listed any more, 0 if it still is
	 * @param dead the most dead letters in it while it had no other messages
	 */
	record Seen(long firstMillis, long lastMillis, long endMillis, long dead) {

		boolean hasEnded() {
			return this.endMillis > 0;
		}

		/** The time from the last message of an epoch to the end of the epoch. */
		long tailMillis() {
			return this.endMillis - this.lastMillis;
		}

	}

	private void look(String queue) {
		Epochs epochs = epochs(this.harness, queue);
		long now = System.currentTimeMillis();
		Set<String> listed = new HashSet<>();
		for (Epoch epoch : epochs.epochs()) {
			String name = queue + " " + epoch.number();
			listed.add(name);
			long messages = 0;
			long dead = 0;
			for (Partition partition : epochs.partitions(epoch)) {
				dead += count(partition, "ZCARD", "dead");
				messages += count(partition, "HLEN", "messages");
			}
			Seen before = this.seen.getOrDefault(name, new Seen(now, now, 0, 0));
			boolean isLive = messages > dead;
			this.seen.put(name, new Seen(before.firstMillis(), isLive ? now : before.lastMillis(), 0,
					isLive ? 0 : Math.max(dead, before.dead())));
		}
		this.seen
			.replaceAll((name, epoch) -> name.startsWith(queue + " ") && !listed.contains(name) && !epoch.hasEnded()
					? new Seen(epoch.firstMillis(), epoch.lastMillis(), now, epoch.dead()) : epoch);
	}

	private long count(Partition partition, String command, String key) {
		String name = "dq:{" + partition + "}:" + key;
		RespClient client = this.clients.computeIfAbsent(partition,
				(absent) -> this.harness.servers().of(name).client());
		return (Long) Objects.requireNonNull(client.call(command, name));
	}

	/** The epochs of a queue in Redis. */
	static Epochs epochs(ProcessHarness harness, String queue) {
		Object text = harness.call("HGET", EPOCHS, queue);
		return (text != null) ? Epochs.from(queue, text.toString())
				: Epochs.first(queue, Integer.parseInt(String.valueOf(harness.call("HGET", "dq:queues", queue))));
	}

	/** When the partition counts changed, ms. */
	List<Long> changes() {
		return this.seen.entrySet()
			.stream()
			.filter((entry) -> !entry.getKey().endsWith(" 0"))
			.map((entry) -> entry.getValue().firstMillis())
			.toList();
	}

	/** All epochs but the current ones, by queue and number. */
	Map<String, Seen> ended() {
		Map<String, Seen> all = new TreeMap<>(this.seen);
		all.values().removeIf((epoch) -> !epoch.hasEnded());
		return all;
	}

	@Override
	public void close() {
		this.thread.shutdownNow();
		try {
			this.thread.awaitTermination(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.clients.values().forEach(RespClient::close);
	}

}
