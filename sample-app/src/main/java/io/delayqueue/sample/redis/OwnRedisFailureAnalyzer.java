package io.delayqueue.sample.redis;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the problem and the advice after a failed start. */
final class OwnRedisFailureAnalyzer extends AbstractFailureAnalyzer<OwnRedisException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, OwnRedisException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
