package io.delayqueue.journey;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetterPage;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.journey.PartitionOracle.Held;
import io.delayqueue.journey.PartitionOracle.Place;
import io.delayqueue.store.Partition;

import static io.delayqueue.journey.PartitionOracle.QUEUES;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares what two processes find with what there should be.
 */
final class PartitionAudit {

	private final TwoProcesses processes;

	private final PartitionOracle oracle;

	private final Random random;

	PartitionAudit(TwoProcesses processes, PartitionOracle oracle, Random random) {
		this.processes = processes;
		this.oracle = oracle;
		this.random = random;
	}

	/** Every message is in its partition and in no other. */
	void lookAtPartitions(String queue) {
		for (int number = 0; number < QUEUES.getOrDefault(queue, 1); number++) {
			Partition partition = new Partition(queue, number);
			List<String> expected = this.oracle.of(queue)
				.filter((place) -> place.partition().equals(partition))
				.map(Place::id)
				.toList();
			assertThat((List<?>) this.processes.ask("HKEYS", partition, "messages")).as(partition.toString())
				.map(Object::toString)
				.containsExactlyInAnyOrderElementsOf(expected);
		}
	}

	void look(MessageKey key) {
		Optional<Held> expected = this.oracle.first(key, (one) -> true).map(this.oracle::held);
		Optional<MessageSnapshot> found = this.processes.queues().find(key);
		assertThat(found.map(MessageSnapshot::group)).as("group of %s", key).isEqualTo(expected.map(Held::group));
		assertThat(found.map((one) -> one.state() == MessageState.DEAD)).as("%s", key)
			.isEqualTo(expected.map(Held::dead));
		if (expected.isPresent() && !expected.get().dead()) {
			assertThat(found.map(MessageSnapshot::dueAt)).contains(expected.get().dueAt());
		}
	}

	void lookAtGroup(String queue, String group) {
		List<String> expected = this.oracle.living(queue, group)
			.sorted(Comparator.<Place, Instant>comparing((place) -> this.oracle.held(place).dueAt())
				.thenComparing(Place::id))
			.map(Place::id)
			.toList();
		assertThat(this.processes.queues().countGroup(queue, group)).isEqualTo(expected.size());
		List<String> listed = new ArrayList<>();
		Optional<String> next = Optional.empty();
		do {
			GroupPage page = this.processes.queues()
				.listGroup(queue, group, next.orElse(null), 1 + this.random.nextInt(3));
			listed.addAll(page.messages().stream().map(GroupMessage::id).toList());
			next = page.next();
		}
		while (next.isPresent());
		assertThat(listed).as("group %s of %s", group, queue).isEqualTo(expected);
	}

	void lookAtDeadLetters(String queue) {
		List<String> listed = new ArrayList<>();
		String next = null;
		do {
			DeadLetterPage page = this.processes.admin().deadLetters(queue, next, 1 + this.random.nextInt(3));
			listed.addAll(page.deadLetters().stream().map(DeadLetter::id).toList());
			next = page.next();
		}
		while (next != null);
		assertThat(listed).as("dead letters of %s", queue)
			.containsExactlyInAnyOrderElementsOf(
					this.oracle.of(queue).filter((place) -> this.oracle.held(place).dead()).map(Place::id).toList());
	}

}
