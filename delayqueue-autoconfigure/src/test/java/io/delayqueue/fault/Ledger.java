package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ScheduleResult.Outcome;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was accepted and what was handled, and whether the one follows from the other.
 * Times are those of the machine, which are those of a Redis whose clock nobody has
 * moved. Safe for use by several threads.
 */
final class Ledger {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private final Set<String> accepted = ConcurrentHashMap.newKeySet();

	private final Map<String, DelayQueueException> unknown = new ConcurrentHashMap<>();

	private final Map<String, DelayQueueException> refused = new ConcurrentHashMap<>();

	private final Queue<Run> runs = new ConcurrentLinkedQueue<>();

	/**
	 * One run of a handler.
	 *
	 * @param id the message's id
	 * @param dueAt when the message was due
	 * @param at when the handler began
	 * @param attempt the delivery's number
	 */
	record Run(String id, Instant dueAt, Instant at, int attempt) {

		Duration lateness() {
			return Duration.between(this.dueAt, this.at);
		}

	}

	void began(DelayedMessage<?> message) {
		this.runs.add(new Run(message.id(), message.dueAt(), Instant.now(), message.attempt()));
	}

	/** Schedules a message and enters what the call said, whatever it said. */
	void schedule(DelayQueueOperations queue, ScheduleRequest request, String id) {
		try {
			ScheduleResult result = queue.schedule(request.id(id));
			// A repeat may come when the message is handled already
			assertThat(result.outcome()).as(result.toString()).isIn(Outcome.CREATED, Outcome.DONE);
			this.accepted.add(id);
		}
		catch (ScheduleOutcomeUnknownException failure) {
			this.unknown.put(id, failure);
		}
		catch (DelayQueueException failure) {
			this.refused.put(id, failure);
		}
	}

	/** Enters the answers of one call. */
	void entered(List<ScheduleAnswer> answers) {
		answers.forEach((answer) -> {
			if (answer.isAccepted()) {
				this.accepted.add(answer.id());
			}
			else if (answer.failure() instanceof ScheduleOutcomeUnknownException failure) {
				this.unknown.put(answer.id(), failure);
			}
			else if (answer.failure() != null) {
				this.refused.put(answer.id(), answer.failure());
			}
		});
	}

	Set<String> accepted() {
		return Set.copyOf(this.accepted);
	}

	Map<String, DelayQueueException> unknown() {
		return Map.copyOf(this.unknown);
	}

	Map<String, DelayQueueException> refused() {
		return Map.copyOf(this.refused);
	}

	List<Run> runs() {
		return List.copyOf(this.runs);
	}

	List<Run> runsOf(String id) {
		return this.runs.stream().filter((run) -> run.id().equals(id)).toList();
	}

	Set<String> handled() {
		return this.runs.stream().map(Run::id).collect(Collectors.toSet());
	}

	/** Waits for so many runs in all. */
	List<Run> await(int count) {
		Awaitility.await().atMost(LONG_ENOUGH).until(() -> this.runs.size() >= count);
		return runs();
	}

	/** Waits until every message that was accepted by now has been handled. */
	void awaitAccepted() {
		awaitAccepted(LONG_ENOUGH);
	}

	void awaitAccepted(Duration limit) {
		Set<String> all = accepted();
		Awaitility.await()
			.atMost(limit)
			.untilAsserted(() -> assertThat(missing(all)).as("accepted, but not handled").isEmpty());
	}

	/** Nothing early, and nothing handled that was said not to be stored. */
	void assertTrue() {
		assertThat(missing(accepted())).as("lost").isEmpty();
		assertThat(this.runs).as("early").allMatch((run) -> !run.at().isBefore(run.dueAt()));
		assertThat(handled().stream().filter(this.refused::containsKey)).as("refused, but handled").isEmpty();
	}

	/** How often a handler ran again for a message. */
	int doubled() {
		return this.runs.size() - handled().size();
	}

	/**
	 * How long no handler began: the longest time without a run that ended after an
	 * instant.
	 */
	Duration longestGapSince(Instant from) {
		Duration longest = Duration.ZERO;
		Instant last = null;
		for (Instant at : this.runs.stream().map(Run::at).sorted().toList()) {
			if (last != null && at.isAfter(from)) {
				Duration gap = Duration.between(last, at);
				longest = (gap.compareTo(longest) > 0) ? gap : longest;
			}
			last = at;
		}
		return longest;
	}

	/** What is worth telling of a fault, in one line. */
	void report(String what, Instant faultAt) {
		System.out.printf("%s: gap %d ms, accepted %d, lost %d, doubled %d, refused %d, unknown %d%n", what,
				longestGapSince(faultAt).toMillis(), this.accepted.size(), missing(accepted()).size(), doubled(),
				this.refused.size(), this.unknown.size());
	}

	private Set<String> missing(Set<String> ids) {
		Set<String> missing = new TreeSet<>(ids);
		missing.removeAll(handled());
		return missing;
	}

}
