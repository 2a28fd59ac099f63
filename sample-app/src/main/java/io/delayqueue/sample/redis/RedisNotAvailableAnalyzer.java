package io.delayqueue.sample.redis;

import io.delayqueue.test.redis.RedisNotAvailableException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a failed start of the application if no Redis server could be started, and how
 * to correct the problem.
 */
final class RedisNotAvailableAnalyzer extends AbstractFailureAnalyzer<RedisNotAvailableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RedisNotAvailableException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Follow the advice above, set sample.redis.dir to a directory that can be written,"
						+ " or set spring.data.redis.url to a Redis server of your own.",
				cause);
	}

}
