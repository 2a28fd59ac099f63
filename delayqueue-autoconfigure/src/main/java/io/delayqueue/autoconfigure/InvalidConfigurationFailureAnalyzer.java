package io.delayqueue.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Prints what is wrong with the properties, all at once.
 */
final class InvalidConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidConfigurationException cause) {
		return new FailureAnalysis(
				"The configuration of delayed messages is not valid:" + System.lineSeparator() + cause.getMessage(),
				"Correct the properties that are named above.", cause);
	}

}
