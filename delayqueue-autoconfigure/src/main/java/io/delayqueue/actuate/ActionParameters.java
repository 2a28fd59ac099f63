package io.delayqueue.actuate;

import java.util.List;
import java.util.Optional;

import io.delayqueue.event.DelayQueueOperatedEvent.Action;

/**
 * The actions and the views of the endpoint by name, and the parameters that each of them
 * accepts. With and without an id, {@link Action#REDRIVE} and {@link Action#DISCARD}
 * accept only some of their parameters.
 */
final class ActionParameters {

	private ActionParameters() {
	}

	/** Returns the action of a name, empty if there is none. */
	static Optional<Action> action(String name) {
		for (Action action : Action.values()) {
			if (DiagnosticText.word(action).equals(name)) {
				return Optional.of(action);
			}
		}
		return Optional.empty();
	}

	/**
	 * Returns the names of the parameters that a view of a queue accepts, empty if there
	 * is no view of this name.
	 */
	static Optional<List<String>> ofView(String name) {
		return Optional.ofNullable(switch (name) {
			case "messages" -> List.of("state", "group", "groupPrefix", "idPrefix", "retries", "from", "limit");
			case "message" -> List.of("id", "group");
			case "dead-letters" -> List.of("reason", "from", "limit");
			case "trend" -> List.of("over");
			case "history", "recurring" -> List.of("from", "limit");
			default -> null;
		});
	}

	/** Returns the names of the parameters that an action accepts. */
	static List<String> of(Action action) {
		return switch (action) {
			case CANCEL -> List.of("id", "group");
			case RESCHEDULE -> List.of("id", "group", "at", "delay", "now");
			case REDRIVE -> List.of("id", "group", "reason", "limit", "dryRun", "within");
			case EDIT -> List.of("id", "group", "newId", "headers", "payload", "encoding");
			case DISCARD -> List.of("id", "group", "reason", "limit", "dryRun");
			case HOLD -> List.of("group", "at", "delay", "why");
			case RELEASE -> List.of("group");
			case LIMIT_RATE -> List.of("messages", "per", "burst");
			case PAUSE_RECURRING, RESUME_RECURRING, RUN_RECURRING -> List.of("key");
			case REPARTITION -> List.of("partitions");
			case PURGE -> List.of("confirm", "deadLetters");
			case REPAIR -> List.of("from");
			case PAUSE, RESUME, CLEAR_RATE_LIMIT, DRAIN, REOPEN, AUDIT -> List.of();
		};
	}

}
