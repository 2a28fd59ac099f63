package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Repairs.Repaired;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Repair runs all the time beside all other calls: it finds nothing to repair, because
 * every call leaves each message in one state.
 */
@Tag("slow")
class RepairRaceIntegrationTests {

	private static final int MESSAGES = 3000;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	/** Ids that were scheduled, to their due time. */
	private final Map<String, Long> scheduled = new ConcurrentHashMap<>();

	private final Map<String, AtomicInteger> finished = new ConcurrentHashMap<>();

	private final Set<String> cancelled = ConcurrentHashMap.newKeySet();

	private final Queue<Repaired> repaired = new ConcurrentLinkedQueue<>();

	private final Queue<String> early = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean producing = new AtomicBoolean(true);

	@Test
	void repairDoesNotChangeCorrectMessages() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			Future<?> producer = threads.submit(this::produce);
			List<Callable<Void>> workers = List.of(this::sweep, () -> consume("one", 1), () -> consume("two", 2),
					this::change, this::repair, this::repair);
			List<Future<Void>> running = new ArrayList<>();
			workers.forEach((other) -> running.add(threads.submit(other)));
			producer.get();
			this.producing.set(false);
			for (Future<Void> one : running) {
				one.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		this.store.redrive(this.partition.dump().dead().keySet().toArray(String[]::new));
		this.store.reclaim();
		Awaitility.await().until(() -> {
			Drain.of(this.store)
				.forEach((record) -> finished(record.replaceAll("(?s).*payload of ([^ ]+) by.*", "$1")));
			return this.partition.dump().scheduled().values().stream().allMatch((due) -> due == States.FAR);
		});

		assertThat(this.repaired).isEmpty();
		assertThat(this.early).isEmpty();
		PartitionDump dump = this.partition.dump();
		assertThat(Audit.order(dump, this.partition.now(), Set.of())).isEmpty();
		assertThat(this.store.audit().mismatch().isNone()).isTrue();
		this.scheduled.keySet().forEach((id) -> {
			int times = this.finished.getOrDefault(id, new AtomicInteger()).get();
			boolean waits = dump.scheduled().getOrDefault(id, 0L) == States.FAR;
			assertThat(times + (this.cancelled.contains(id) ? 1 : 0) + (waits ? 1 : 0))
				.as("%s: finished %s times, cancelled %s, waits %s", id, times, this.cancelled.contains(id), waits)
				.isEqualTo(1);
		});
	}

	private Void produce() {
		Random random = new Random(1);
		for (int i = 0; i < MESSAGES; i++) {
			String id = "id-" + i;
			long due = (random.nextInt(4) == 0) ? this.partition.now() + random.nextInt(200) : States.DUE;
			this.scheduled.put(id, due);
			assertThat(this.store.schedule(id, due, i).stored()).isEqualTo(Stored.CREATED);
		}
		return null;
	}

	private Void sweep() {
		while (isOn()) {
			this.store.sweep();
		}
		return null;
	}

	/** Settles in every way. */
	private Void consume(String consumer, int seed) {
		Random random = new Random(seed);
		while (isOn()) {
			for (Entry entry : this.store.ready().read(this.store.partition(), consumer, 20).entries()) {
				byte[] record = entry.record();
				if (record == null) {
					this.store.release(1, entry);
					continue;
				}
				long due = MessageRecord.from(record).dueMillis();
				if (due > now()) {
					this.early.add(entry.id());
				}
				switch (random.nextInt(8)) {
					case 0 -> this.store.retry(entry, "it broke");
					case 1 -> this.store.deadLetter(entry, "it broke");
					case 2 -> this.store.release(due, entry);
					default -> {
						if (this.store.acknowledge(entry).equals(List.of(Settled.COUNTED))) {
							finished(entry.id());
						}
					}
				}
			}
		}
		return null;
	}

	private Void change() {
		Random random = new Random(3);
		// Each call has a token of its own: a repeated token would get the first answer
		int token = MESSAGES;
		while (isOn()) {
			String id = "id-" + random.nextInt(MESSAGES);
			switch (random.nextInt(3)) {
				case 0 -> {
					KnownMessages.Cancelled answer = this.store.cancel(id, token++);
					if (answer != KnownMessages.Cancelled.NONE) {
						this.cancelled.add(id);
					}
				}
				case 1 -> this.store.reschedule(id, States.FAR);
				default -> this.store.redrive(id);
			}
		}
		return null;
	}

	private Void repair() {
		while (isOn()) {
			this.repaired.addAll(this.store.repair());
		}
		return null;
	}

	private void finished(String id) {
		this.finished.computeIfAbsent(id, (it) -> new AtomicInteger()).incrementAndGet();
	}

	/** Whether the producer or unfinished messages remain. */
	private boolean isOn() {
		return this.producing.get();
	}

	private long now() {
		return this.store.snapshots().of(this.store.partition()).nowMicros() / 1000;
	}

}
