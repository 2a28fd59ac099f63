package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;

/**
 * Thrown if properties are invalid. Prevents the application from starting, and reports
 * all faults at once.
 */
final class InvalidConfigurationException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final List<ConfigurationFault> faults;

	InvalidConfigurationException(List<ConfigurationFault> faults) {
		super(message(faults), null, null, null);
		this.faults = List.copyOf(faults);
	}

	private static String message(List<ConfigurationFault> faults) {
		return faults.stream()
			.map((fault) -> System.lineSeparator() + "- " + fault + ". " + fault.fix() + ".")
			.collect(Collectors.joining("", faults.size() + " fault(s) in the configuration of delayed messages:", ""));
	}

	List<ConfigurationFault> faults() {
		return this.faults;
	}

}
