package io.delayqueue;

import java.lang.reflect.Type;

/**
 * Turns payloads into bytes and back. The default writes readable JSON with the
 * application's {@code JsonMapper}; a bean of this type replaces it for all queues.
 *
 * <p>
 * Implementations must be safe for use by several threads. An exception on writing is
 * given to the caller of {@code schedule} as {@link InvalidMessageException}; an
 * exception on reading makes the message a dead letter with its reason.
 */
public interface PayloadConverter {

	/**
	 * Writes a payload.
	 * @param payload the payload
	 * @return its bytes
	 */
	byte[] write(Object payload);

	/**
	 * Reads a payload.
	 * @param bytes what {@link #write} returned, perhaps in an older version of the
	 * application
	 * @param type the type that the listener declares; never taken from Redis
	 * @return the payload, an instance of {@code type}
	 */
	Object read(byte[] bytes, Type type);

}
