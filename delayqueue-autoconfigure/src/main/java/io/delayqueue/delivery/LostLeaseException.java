package io.delayqueue.delivery;

/**
 * Stands for a normal return of a handler that was told that its lease is lost, and so
 * may have left its work undone.
 */
final class LostLeaseException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LostLeaseException() {
		super("The handler returned after it was told that its lease is lost", null, false, false);
	}

}
