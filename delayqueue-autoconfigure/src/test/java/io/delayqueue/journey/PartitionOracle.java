package io.delayqueue.journey;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy.Kind;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Partitioner;
import org.jspecify.annotations.Nullable;

/**
 * What each partition should hold, written down from what is promised. It does not know
 * when a message dies or is done: it is told.
 */
final class PartitionOracle {

	static final Map<String, Integer> QUEUES = Map.of("two", 2, "three", 3, "seven", 7);

	static final int QUOTA = 3;

	static final Instant LATER = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS);

	private final Map<Place, Held> held = new HashMap<>();

	/** Handled within the de-duplication window. */
	private final Set<Place> done = new HashSet<>();

	/** What is to be answered: an outcome, or the class of a failure. */
	Object expected(ScheduleRequest request, Place place, @Nullable String draining) {
		Held known = this.held.get(place);
		Kind kind = request.onDuplicate().kind();
		String group = request.group().orElse(null);
		if (known != null && !Objects.equals(known.group(), group)) {
			return InvalidMessageException.class;
		}
		if (known != null && kind == Kind.KEEP) {
			return known.dead() ? Outcome.DEAD_LETTER : Outcome.DUPLICATE;
		}
		boolean finished = known == null && kind != Kind.REPLACE && this.done.contains(place);
		if (finished && kind == Kind.KEEP) {
			return Outcome.DONE;
		}
		if (finished || (known != null && kind == Kind.FAIL)) {
			return DuplicateMessageException.class;
		}
		if (request.queue().equals(draining)) {
			return QueueDrainingException.class;
		}
		boolean needsRoom = group != null && (known == null || known.dead());
		if (needsRoom && living(request.queue(), group).count() >= QUOTA) {
			return QuotaExceededException.class;
		}
		return (known != null) ? Outcome.REPLACED : Outcome.CREATED;
	}

	void accepted(Place place, ScheduleRequest request) {
		this.held.put(place, Held.of(request));
	}

	void moved(Place place, Instant dueAt) {
		this.held.computeIfPresent(place, (same, one) -> one.moved(dueAt));
	}

	void died(Place place) {
		this.held.computeIfPresent(place, (same, one) -> one.died());
	}

	void finished(Place place) {
		this.held.remove(place);
		this.done.add(place);
	}

	/** Cancelled, purged or discarded. */
	void removed(Place place) {
		this.held.remove(place);
	}

	boolean holds(Place place) {
		return this.held.containsKey(place);
	}

	Held held(Place place) {
		return Objects.requireNonNull(this.held.get(place));
	}

	/**
	 * The one that is meant: where several groups have it, in the likeliest place.
	 */
	Optional<Place> first(MessageKey key, Predicate<Held> which) {
		return Partitioner.candidates(key, QUEUES.getOrDefault(key.queue(), 1))
			.stream()
			.map((partition) -> new Place(partition, key.id()))
			.filter((place) -> this.held.containsKey(place) && which.test(held(place)))
			.filter((place) -> key.group() == null || key.group().equals(held(place).group()))
			.findFirst();
	}

	Stream<Place> of(String queue) {
		return List.copyOf(this.held.keySet()).stream().filter((place) -> place.partition().queue().equals(queue));
	}

	Stream<Place> living(String queue, String group) {
		return of(queue).filter((place) -> !held(place).dead() && group.equals(held(place).group()));
	}

	/** A place that one message can have. */
	record Place(Partition partition, String id) {

		static Place of(ScheduleRequest request, String id) {
			int number = Partitioner.of(id, request.group().orElse(null), QUEUES.getOrDefault(request.queue(), 1));
			return new Place(new Partition(request.queue(), number), id);
		}

	}

	/** What should be in a place; the due time of what has died is not told. */
	record Held(@Nullable String group, Instant dueAt, boolean dead) {

		static Held of(ScheduleRequest request) {
			return new Held(request.group().orElse(null), request.dueAt().orElse(LATER), false);
		}

		Held died() {
			return new Held(this.group, this.dueAt, true);
		}

		Held moved(Instant due) {
			return this.dead ? this : new Held(this.group, due, false);
		}

	}

}
