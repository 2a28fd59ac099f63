package io.delayqueue.sample.redis;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says at the end of a failed start what is wrong with the Redis and what to do. */
final class OwnRedisFailureAnalyzer extends AbstractFailureAnalyzer<OwnRedisException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, OwnRedisException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
