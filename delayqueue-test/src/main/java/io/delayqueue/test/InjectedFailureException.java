package io.delayqueue.test;

/** The exception with which a delivery fails if a test has injected a failure. */
public class InjectedFailureException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param queue the queue's name
	 */
	public InjectedFailureException(String queue) {
		super("A test has injected this failure of a delivery of queue '" + queue + "'");
	}

}
