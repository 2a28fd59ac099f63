package io.delayqueue.benchmark;

/**
 * A workload has failed, so its measurements are invalid.
 */
final class BenchmarkException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BenchmarkException(String message) {
		super(message);
	}

}
