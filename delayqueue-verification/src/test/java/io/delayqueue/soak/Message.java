package io.delayqueue.soak;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;

/**
 * The expected end of an id according to its calls.
 *
 * @param kind the behaviour of its handler
 * @param outcome whether it must be handled or dead in the end
 * @param dueMillis when it is due, 0 if unknown or changed
 * @param versions the most messages that the id has had
 * @param cancelled whether a call may have cancelled it
 */
record Message(char kind, Outcome outcome, long dueMillis, int versions, boolean cancelled) {

	/** Whether a message will be handled. */
	enum Outcome {

		/** The message will be handled. */
		ACCEPTED,

		/** It will not. */
		NOT_ACCEPTED,

		/** It may. */
		UNKNOWN

	}

	/** By id. */
	static Map<String, Message> of(List<Call> calls) {
		Map<String, Message> messages = new HashMap<>();
		calls.stream().collect(Collectors.groupingBy(Call::id)).forEach((id, ofId) -> messages.put(id, ofOne(ofId)));
		return messages;
	}

	private static Message ofOne(List<Call> calls) {
		Call first = calls.stream().min(Comparator.comparingLong(Call::callMicros)).orElseThrow();
		boolean isAlone = calls.stream().allMatch((call) -> call == first || call.operation() == Operation.FIND);
		int versions = (int) calls.stream()
			.filter((call) -> call.operation().stores()
					&& (call.answer().isAccepted() || call.answer() == Answer.UNKNOWN))
			.count();
		Outcome outcome = !isAlone ? Outcome.UNKNOWN : switch (first.answer()) {
			case NOT_ACCEPTED -> Outcome.NOT_ACCEPTED;
			case UNKNOWN -> Outcome.UNKNOWN;
			default -> Outcome.ACCEPTED;
		};
		boolean cancelled = calls.stream()
			.anyMatch((call) -> call.operation() == Operation.CANCEL && call.answer() != Answer.NOT_FOUND);
		return new Message(first.kind(), outcome, isAlone ? first.dueMillis() : 0, Math.max(1, versions), cancelled);
	}

	/** Whether every handler run fails. */
	boolean isPoison() {
		return isPoison(this.kind);
	}

	static boolean isPoison(char kind) {
		return kind == 'x' || kind == 'h';
	}

}
