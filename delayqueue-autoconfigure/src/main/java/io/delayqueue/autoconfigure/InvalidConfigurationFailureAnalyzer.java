package io.delayqueue.autoconfigure;

import java.util.List;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports the invalid properties, and how to correct each of them.
 */
final class InvalidConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidConfigurationException cause) {
		List<ConfigurationFault> faults = cause.faults();
		return new FailureAnalysis(
				"The configuration of delayed messages is invalid:"
						+ NumberedList.of(faults.stream().map(ConfigurationFault::toString).toList()),
				"Correct the properties:" + NumberedList.of(faults.stream().map(ConfigurationFault::fix).toList()),
				cause);
	}

}
