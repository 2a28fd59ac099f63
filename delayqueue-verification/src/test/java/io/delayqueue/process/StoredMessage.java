package io.delayqueue.process;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.delayqueue.process.fixture.Journal.Line;

/**
 * A message that a call has stored, all other calls for its id, and the lines of its
 * handlers in the journal. An id that is stored again is another message.
 */
final class StoredMessage {

	private final LoadCall call;

	/** The other calls for the id, in the order of their beginning. */
	private final List<LoadCall> others;

	private final List<Line> begins = new ArrayList<>();

	private final List<Line> ends = new ArrayList<>();

	private final List<Line> failures = new ArrayList<>();

	private StoredMessage(LoadCall call, List<LoadCall> others) {
		this.call = call;
		this.others = others;
	}

	/** All stored messages by name. */
	static Map<String, StoredMessage> of(List<LoadCall> calls, List<Line> lines) {
		Map<String, List<LoadCall>> byId = calls.stream()
			.sorted(Comparator.comparingLong(LoadCall::calledMillis))
			.collect(Collectors.groupingBy(StoredMessage::key));
		Map<String, StoredMessage> messages = new HashMap<>();
		calls.stream()
			.filter(LoadCall::hasStored)
			.forEach((call) -> messages.put(call.name(),
					new StoredMessage(call, byId.get(key(call)).stream().filter((other) -> other != call).toList())));
		for (Line line : lines) {
			StoredMessage message = messages.get(line.id());
			if (message != null) {
				switch (line.event()) {
					case "begin" -> message.begins.add(line);
					case "end" -> message.ends.add(line);
					case "failed" -> message.failures.add(line);
					default -> {
					}
				}
			}
		}
		return messages;
	}

	private static String key(LoadCall call) {
		return call.queue() + " " + call.id();
	}

	LoadCall call() {
		return this.call;
	}

	List<LoadCall> others() {
		return this.others;
	}

	List<Line> begins() {
		return this.begins;
	}

	List<Line> ends() {
		return this.ends;
	}

	List<Line> failures() {
		return this.failures;
	}

	boolean isHandled() {
		return !this.ends.isEmpty();
	}

	/** Whether all attempts fail. */
	boolean diesInTheEnd() {
		return this.call.work().equals("dead");
	}

	/** Whether a message of the id may be a dead letter. */
	boolean mayBeDead() {
		return diesInTheEnd()
				|| this.others.stream().anyMatch((other) -> other.hasStored() && other.work().equals("dead"));
	}

	/** Whether a cancel may have ended this message, and not a later one of the id. */
	boolean mayBeCancelled() {
		return this.others.stream().anyMatch(this::mayBeEndedBy);
	}

	private boolean mayBeEndedBy(LoadCall other) {
		return other.hasRemoved() && other.answeredMillis() >= this.call.calledMillis()
				&& this.others.stream()
					.noneMatch((later) -> later.hasStored() && later.calledMillis() > this.call.answeredMillis()
							&& later.answeredMillis() < other.calledMillis());
	}

	/** The time from which the message certainly exists. */
	long existsFrom() {
		return this.call.answeredMillis();
	}

	/**
	 * The time until which the message certainly waits or is being handled; a dead letter
	 * does neither.
	 */
	long existsUntil() {
		long end = this.ends.isEmpty() ? Long.MAX_VALUE : this.ends.get(0).millis();
		if (diesInTheEnd() && this.failures.size() >= LoadPlan.MAX_ATTEMPTS) {
			end = Math.min(end, this.failures.get(LoadPlan.MAX_ATTEMPTS - 1).millis());
		}
		return Math.min(end, cancelledFrom());
	}

	/** The beginning of the first call that may have cancelled it. */
	long cancelledFrom() {
		return this.others.stream()
			.filter((other) -> other.hasRemoved() && other.answeredMillis() >= this.call.calledMillis())
			.mapToLong(LoadCall::calledMillis)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	@Override
	public String toString() {
		return this.call.name() + " (" + this.call + ")";
	}

}
