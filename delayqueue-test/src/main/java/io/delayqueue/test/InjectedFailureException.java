package io.delayqueue.test;

/** The failure of a delivery that a test has injected. */
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
