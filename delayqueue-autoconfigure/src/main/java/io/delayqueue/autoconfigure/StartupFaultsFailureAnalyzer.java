package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueException;
import io.delayqueue.listener.DelayedListenerDefinitionException;
import io.delayqueue.server.Finding;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Lists the faults of properties, listeners or Redis that prevent the start of the
 * application, and how to correct each fault.
 */
final class StartupFaultsFailureAnalyzer extends AbstractFailureAnalyzer<DelayQueueException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, DelayQueueException cause) {
		if (cause instanceof InvalidConfigurationException invalid) {
			return new FailureAnalysis(
					"The configuration of delayed messages is invalid:" + numbered(invalid.faults(), Object::toString),
					"Correct the properties:" + numbered(invalid.faults(), InvalidConfigurationException.Fault::fix),
					cause);
		}
		if (cause instanceof DelayedListenerDefinitionException invalid) {
			return new FailureAnalysis(
					"Methods annotated with @DelayedListener are invalid:"
							+ numbered(invalid.faults(), Object::toString),
					"Correct the listeners:"
							+ numbered(invalid.faults(), DelayedListenerDefinitionException.Fault::fix),
					cause);
		}
		if (cause instanceof UnfitRedisException unfit) {
			return new FailureAnalysis(
					"Delayed messages cannot work with this Redis:" + numbered(unfit.faults(), Finding::problem),
					"Correct each fault, or start the application anyway with delayqueue.startup-checks=warn:"
							+ numbered(unfit.faults(), Finding::fix),
					cause);
		}
		return null;
	}

	private static <F> String numbered(List<F> faults, Function<F, String> text) {
		return IntStream.range(0, faults.size())
			.mapToObj((index) -> System.lineSeparator() + "    " + (index + 1) + ". " + text.apply(faults.get(index)))
			.collect(Collectors.joining());
	}

}
