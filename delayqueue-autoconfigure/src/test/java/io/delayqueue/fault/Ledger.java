package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What was accepted and what was handled, and whether the one follows from the other.
 * Times are those of the machine, which are those of a Redis whose clock nobody has
 * moved. A message is known by its name, which is the first word of its payload, as its
 * id is mostly generated. Safe for use by several threads.
 */
final class Ledger {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	/** By the name of the message, also of those whose outcome is unknown. */
	private final Map<String, String> ids = new ConcurrentHashMap<>();

	private final Set<String> accepted = ConcurrentHashMap.newKeySet();

	private final Map<String, DelayQueueException> unknown = new ConcurrentHashMap<>();

	private final Map<String, DelayQueueException> refused = new ConcurrentHashMap<>();

	private final Queue<Run> runs = new ConcurrentLinkedQueue<>();

	/**
	 * One run of a handler.
	 *
	 * @param name the message's name
	 * @param id the message's id
	 * @param dueAt when the message was due
	 * @param at when the handler began
	 * @param attempt the delivery's number
	 */
	record Run(String name, String id, Instant dueAt, Instant at, int attempt) {

		Duration lateness() {
			return Duration.between(this.dueAt, this.at);
		}

	}

	void began(DelayedMessage<?> message) {
		this.runs
			.add(new Run(name(message.payload()), message.id(), message.dueAt(), Instant.now(), message.attempt()));
	}

	private static String name(Object payload) {
		String text = payload.toString();
		int end = text.indexOf(' ');
		return (end < 0) ? text : text.substring(0, end);
	}

	/** Schedules a message and enters what the call said, whatever it said. */
	void schedule(DelayQueueOperations queue, ScheduleRequest request, String name) {
		try {
			ScheduleResult result = queue.schedule(request.payload(name));
			assertThat(result.outcome()).as(result.toString()).isEqualTo(Outcome.CREATED);
			this.ids.put(name, result.id());
			this.accepted.add(name);
		}
		catch (DelayQueueException failure) {
			failed(name, failure.messageId(), failure);
		}
	}

	/** Enters the answers of one call. */
	void entered(List<ScheduleRequest> requests, List<ScheduleAnswer> answers) {
		for (int i = 0; i < answers.size(); i++) {
			ScheduleAnswer answer = answers.get(i);
			String name = name(requests.get(i).payload().orElseThrow());
			if (answer.isAccepted()) {
				this.ids.put(name, answer.id());
				this.accepted.add(name);
			}
			else if (answer.failure() != null) {
				failed(name, answer.id(), answer.failure());
			}
		}
	}

	private void failed(String name, @Nullable String id, DelayQueueException failure) {
		if (failure instanceof ScheduleOutcomeUnknownException) {
			this.ids.put(name, Objects.requireNonNull(id));
			this.unknown.put(name, failure);
		}
		else {
			this.refused.put(name, failure);
		}
	}

	/** The id that a message was accepted under. */
	String id(String name) {
		return Objects.requireNonNull(this.ids.get(name));
	}

	/** The names of those of the messages that have one of these ids. */
	Set<String> named(Set<String> ids) {
		return this.ids.entrySet()
			.stream()
			.filter((message) -> ids.contains(message.getValue()))
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
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

	List<Run> runsOf(String name) {
		return this.runs.stream().filter((run) -> run.name().equals(name)).toList();
	}

	Set<String> handled() {
		return this.runs.stream().map(Run::name).collect(Collectors.toSet());
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

	/**
	 * Nothing early, nothing under another id than the accepted one, and nothing handled
	 * that was said not to be stored.
	 */
	void assertTrue() {
		assertThat(missing(accepted())).as("lost").isEmpty();
		assertThat(this.runs).as("early").allMatch((run) -> !run.at().isBefore(run.dueAt()));
		assertThat(this.runs).as("under another id")
			.allMatch((run) -> run.id().equals(this.ids.getOrDefault(run.name(), run.id())));
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

	private Set<String> missing(Set<String> names) {
		Set<String> missing = new TreeSet<>(names);
		missing.removeAll(handled());
		return missing;
	}

}
