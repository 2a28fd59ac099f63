package io.delayqueue.benchmark;

/**
 * Thrown if a workload has failed, so that its measurements are invalid, or if
 * measurements cannot be summarized.
 */
final class BenchmarkException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BenchmarkException(String message) {
		super(message);
	}

}
