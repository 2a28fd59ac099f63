package io.delayqueue.autoconfigure;

import java.util.List;

/**
 * Properties are out of their bounds; the message names all faults.
 */
final class InvalidConfigurationException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	InvalidConfigurationException(List<String> faults) {
		super(String.join(System.lineSeparator(), faults));
	}

}
