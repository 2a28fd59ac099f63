package io.delayqueue.admin;

import io.delayqueue.DelayQueueException;

/**
 * The partition count of a queue was not changed, because earlier changes have not ended.
 * Nothing was changed; the change can be tried again later.
 */
public final class RepartitionPendingException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates the exception.
	 * @param message what has not ended
	 * @param queue the queue
	 */
	public RepartitionPendingException(String message, String queue) {
		super(message, queue, null, null);
	}

}
