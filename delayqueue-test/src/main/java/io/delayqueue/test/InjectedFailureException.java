package io.delayqueue.test;

/** What a delivery fails with because a test wants it to. */
public class InjectedFailureException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param queue the queue's name
	 */
	public InjectedFailureException(String queue) {
		super("A test lets this delivery of queue '" + queue + "' fail");
	}

}
