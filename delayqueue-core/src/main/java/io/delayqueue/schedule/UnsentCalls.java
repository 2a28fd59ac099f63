package io.delayqueue.schedule;

/**
 * The calls of an outbox that are committed but not sent to Redis yet. Tests wait until
 * there are none.
 */
@FunctionalInterface
public interface UnsentCalls {

	/**
	 * Whether all committed calls are sent or have failed for ever.
	 * @return {@code false} while the outbox has calls to send
	 */
	boolean isEmpty();

}
