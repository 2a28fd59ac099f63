package io.delayqueue.admin;

import io.delayqueue.DelayQueueException;

/**
 * Thrown when the partition count of a queue was not changed, because earlier changes of
 * the partition count have not been completed. The refused call changed nothing, and can
 * be repeated later.
 */
public final class RepartitionPendingException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message which earlier change has not been completed
	 * @param queue the queue
	 */
	public RepartitionPendingException(String message, String queue) {
		super(message, queue, null, null);
	}

}
