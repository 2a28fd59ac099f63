package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;
import io.delayqueue.server.Finding;

/**
 * Thrown if delayed messages cannot work with the connected Redis. The exception prevents
 * the start of the application, and reports all faults at once.
 */
final class UnfitRedisException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final List<Finding> faults;

	UnfitRedisException(List<Finding> faults) {
		super(message(faults), null, null, null);
		this.faults = List.copyOf(faults);
	}

	private static String message(List<Finding> faults) {
		return faults.stream()
			.map((fault) -> System.lineSeparator() + "- " + fault)
			.collect(Collectors.joining("",
					"Delayed messages cannot work with this Redis, " + faults.size() + " fault(s):", ""));
	}

	List<Finding> faults() {
		return this.faults;
	}

}
