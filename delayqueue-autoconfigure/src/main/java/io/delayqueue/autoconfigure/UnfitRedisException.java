package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;
import io.delayqueue.store.Finding;

/**
 * Delayed messages cannot work with this Redis as it is. Stops the start of the
 * application, with all faults at once.
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
