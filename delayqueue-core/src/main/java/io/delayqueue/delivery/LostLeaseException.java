package io.delayqueue.delivery;

/**
 * The outcome of a handler that returned normally after it had seen that its lease was
 * lost, so that its work may be incomplete.
 */
final class LostLeaseException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LostLeaseException() {
		super("The handler returned after it had seen that its lease was lost", null, false, false);
	}

}
