package io.delayqueue.benchmark;

/**
 * A workload went wrong: what it measured is no result.
 */
final class BenchmarkException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	BenchmarkException(String message) {
		super(message);
	}

}
