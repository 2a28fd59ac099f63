package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Prints what is wrong with the properties, and what to do about each fault.
 */
final class InvalidConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidConfigurationException cause) {
		List<ConfigurationFault> faults = cause.faults();
		return new FailureAnalysis(
				"The configuration of delayed messages is not valid:" + numbered(faults, ConfigurationFault::toString),
				"Correct the properties:" + numbered(faults, ConfigurationFault::fix), cause);
	}

	private static String numbered(List<ConfigurationFault> faults, Function<ConfigurationFault, String> text) {
		return IntStream.range(0, faults.size())
			.mapToObj((index) -> System.lineSeparator() + "    " + (index + 1) + ". " + text.apply(faults.get(index)))
			.collect(Collectors.joining());
	}

}
