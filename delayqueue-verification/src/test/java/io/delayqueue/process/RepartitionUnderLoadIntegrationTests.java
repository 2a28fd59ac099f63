package io.delayqueue.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.process.EpochWatch.Seen;
import io.delayqueue.process.LoadCall.Operation;
import io.delayqueue.process.LoadCall.Target;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The partition count changes under load, while one of four processes is killed every
 * five seconds. {@code -Drepartition.seconds=60 -Drepartition.rate=500
 * -Drepartition.kill-seconds=5 -Drepartition.seed=7} set length, messages a second, the
 * time between two kills and the seed. The result is printed.
 */
@Tag("slow")
class RepartitionUnderLoadIntegrationTests {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	@Test
	@DisplayName("row 69: under load and kills one server grows to 8 partitions and shrinks to 3")
	void oneServerGrowsAndShrinks() {
		run(LoadPlan.of(Servers.Kind.STANDALONE, 8, 3));
	}

	@Test
	@DisplayName("row 69: under load and kills a queue grows to 12 partitions of a cluster")
	void clusterGrows() {
		run(LoadPlan.of(Servers.Kind.CLUSTER, 12));
	}

	private static void run(LoadPlan plan) {
		try (ProcessHarness harness = new ProcessHarness(Servers.inMemory(plan.kind()), LoadPlan.properties());
				Writer journal = harness.writer("producers")) {
			LoadProducer producer = new LoadProducer(List.of(harness.queues(), harness.newProducer()), journal, plan);
			LoadFleet fleet = new LoadFleet(harness, journal, plan);
			harness.admin().pause("paused");
			try (EpochWatch epochs = new EpochWatch(harness)) {
				CompletableFuture<Void> load = CompletableFuture.runAsync(producer::run);
				changeAndKill(harness, fleet, plan, load);
				load.join();
				awaitDrained(harness, List.of("limited", "strict", "chosen"));
				journal.add(LoadChecker.RESUMED, "paused", 0, "-");
				harness.admin().resume("paused");
				awaitDrained(harness, LoadPlan.QUEUES);
				harness.keepJournal(Path.of("target", "repartition-" + plan.kind() + ".journal"));
				LoadChecker checker = new LoadChecker(producer.calls(), harness.journal().lines());
				Set<String> dead = deadLetters(harness);
				assertThat(checker.faults(dead)).as(plan.toString()).isEmpty();
				awaitOneEpoch(harness, plan);
				assertThat(deadLetters(harness)).as("dead letters of all epochs, carried to the last one")
					.isNotEmpty()
					.isEqualTo(dead);
				report(harness, checker, epochs, plan, fleet.kills());
			}
			checkQuotaIsFree(harness, producer);
		}
	}

	/**
	 * The property of the first late spare process changes the count first; calls change
	 * it afterwards, and the property of later processes changes nothing.
	 */
	private static void changeAndKill(ProcessHarness harness, LoadFleet fleet, LoadPlan plan,
			CompletableFuture<Void> load) {
		long began = System.nanoTime();
		long part = TimeUnit.SECONDS.toNanos(plan.seconds()) / (plan.counts().size() + 1);
		int changed = 1;
		for (int step = 1; !load.isDone(); step++) {
			long killAt = began + TimeUnit.SECONDS.toNanos((long) step * plan.killSeconds());
			while (System.nanoTime() < killAt && !load.isDone()) {
				if (changed < plan.counts().size() && System.nanoTime() - began > (changed + 1) * part
						&& haveCount(harness, plan.counts().get(changed - 1))) {
					int count = plan.counts().get(changed++);
					LoadPlan.QUEUES.forEach((queue) -> repartition(harness, queue, count));
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
			}
			if (!load.isDone()) {
				fleet.killOne();
			}
		}
		assertThat(haveCount(harness, plan.counts().get(changed - 1))).as("changes under load").isTrue();
		assertThat(changed).as("changes under load").isEqualTo(plan.counts().size());
	}

	private static boolean haveCount(ProcessHarness harness, int count) {
		return LoadPlan.QUEUES.stream()
			.allMatch((queue) -> EpochWatch.epochs(harness, queue).current().partitions() == count);
	}

	private static void repartition(ProcessHarness harness, String queue, int count) {
		Awaitility.await()
			.atMost(LIMIT)
			.ignoreException(RepartitionPendingException.class)
			.until(() -> harness.admin().repartition(queue, count).partitions() > 0);
	}

	/** Only dead letters are left, in all epochs. */
	private static void awaitDrained(ProcessHarness harness, List<String> queues) {
		for (String queue : queues) {
			Awaitility.await(queue + " has only dead letters")
				.atMost(LIMIT)
				.pollInterval(Duration.ofMillis(200))
				.until(() -> EpochWatch.epochs(harness, queue)
					.partitions()
					.stream()
					.allMatch((partition) -> size(harness, partition, "HLEN", "messages") == size(harness, partition,
							"ZCARD", "dead") && size(harness, partition, "ZCARD", "scheduled") == 0
							&& size(harness, partition, "XLEN", "ready") == 0
							&& size(harness, partition, "HLEN", "entries") == 0));
		}
	}

	private static void awaitOneEpoch(ProcessHarness harness, LoadPlan plan) {
		int last = plan.counts().get(plan.counts().size() - 1);
		for (String queue : LoadPlan.QUEUES) {
			Awaitility.await(queue + " has one epoch")
				.atMost(LIMIT)
				.pollInterval(Duration.ofMillis(200))
				.until(() -> EpochWatch.epochs(harness, queue).epochs().size() == 1);
			Epochs epochs = EpochWatch.epochs(harness, queue);
			assertThat(epochs.newest().number()).as(queue).isEqualTo(plan.counts().size());
			assertThat(epochs.newest().partitions()).as(queue).isEqualTo(last);
		}
	}

	private static void report(ProcessHarness harness, LoadChecker checker, EpochWatch epochs, LoadPlan plan,
			int kills) {
		Awaitility.await().until(() -> epochs.ended().size() == LoadPlan.QUEUES.size() * plan.counts().size());
		Map<String, Seen> ended = epochs.ended();
		System.out.println(plan + "\n" + checker.answers() + "\n" + checker.messages().size() + " messages stored, "
				+ kills + " kills, " + checker.reclaimed() + " reclaimed, at most " + checker.mostOfAGroup()
				+ " of a group\n" + Lateness.of(checker.messages(), harness.journal().lines(), epochs.changes()) + "\n"
				+ ended.entrySet()
					.stream()
					.map((epoch) -> "epoch " + epoch.getKey() + " ended " + epoch.getValue().tailMillis()
							+ " ms after its last message, with " + epoch.getValue().dead() + " dead letters")
					.collect(Collectors.joining("\n")));
		assertThat(ended.values()).as("dead letters in older epochs")
			.extracting(Seen::dead)
			.anyMatch((some) -> some > 0);
	}

	/** The dead letters of all queues, queue and id. */
	private static Set<String> deadLetters(ProcessHarness harness) {
		Set<String> ids = new HashSet<>();
		for (String queue : LoadPlan.QUEUES) {
			@Nullable String from = null;
			do {
				DeadLetterPage page = harness.admin().deadLetters(queue, from, 1000);
				page.deadLetters().forEach((letter) -> ids.add(queue + " " + letter.id()));
				from = page.next();
			}
			while (from != null);
		}
		return ids;
	}

	/** No slot of a group is lost, and no group has a slot too many. */
	private static void checkQuotaIsFree(ProcessHarness harness, LoadProducer producer) {
		for (int group = 0; group < LoadProducer.LIMITED_GROUPS; group++) {
			for (int i = 0; i <= LoadPlan.QUOTA; i++) {
				Target target = new Target("limited", "probe-" + group + "-" + i, "lg-" + group);
				LoadCall call = producer.call(Operation.SCHEDULE, target, TimeUnit.HOURS.toMillis(1), "done");
				assertThat(call.answer()).as(target.toString()).isEqualTo((i < LoadPlan.QUOTA) ? "CREATED" : "QUOTA");
			}
		}
	}

	private static long size(ProcessHarness harness, Partition partition, String command, String key) {
		Object size = harness.call(command, "dq:{" + partition + "}:" + key);
		return (Long) Objects.requireNonNull(size);
	}

}
