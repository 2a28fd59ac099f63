package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.listener.DelayedListenerDefinitionException;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Describes the faults of listeners, and how to fix each of them.
 */
final class DelayedListenerFailureAnalyzer extends AbstractFailureAnalyzer<DelayedListenerDefinitionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DelayedListenerDefinitionException cause) {
		List<Fault> faults = cause.faults();
		return new FailureAnalysis(
				"Methods annotated with @DelayedListener are invalid:" + numbered(faults, Fault::toString),
				"Correct the listeners:" + numbered(faults, Fault::fix), cause);
	}

	private static String numbered(List<Fault> faults, Function<Fault, String> text) {
		return IntStream.range(0, faults.size())
			.mapToObj((index) -> System.lineSeparator() + "    " + (index + 1) + ". " + text.apply(faults.get(index)))
			.collect(Collectors.joining());
	}

}
