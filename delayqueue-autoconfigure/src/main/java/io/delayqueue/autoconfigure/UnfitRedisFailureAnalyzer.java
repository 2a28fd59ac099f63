package io.delayqueue.autoconfigure;

import java.util.List;

import io.delayqueue.server.Finding;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports why delayed messages cannot work with this Redis, and how to correct each
 * fault.
 */
final class UnfitRedisFailureAnalyzer extends AbstractFailureAnalyzer<UnfitRedisException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnfitRedisException cause) {
		List<Finding> faults = cause.faults();
		return new FailureAnalysis(
				"Delayed messages cannot work with this Redis:"
						+ NumberedList.of(faults.stream().map(Finding::problem).toList()),
				"Correct each fault, or start the application anyway with delayqueue.startup-checks=warn:"
						+ NumberedList.of(faults.stream().map(Finding::fix).toList()),
				cause);
	}

}
