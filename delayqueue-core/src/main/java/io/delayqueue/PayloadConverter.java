package io.delayqueue;

import java.lang.reflect.Type;

import org.springframework.core.ParameterizedTypeReference;

/**
 * Converts payloads to bytes and back. The default converter writes JSON with the
 * application's {@code JsonMapper}; a bean of this type replaces the default converter
 * for all queues.
 *
 * <p>
 * Implementations must be thread-safe. If {@link #write} throws an exception,
 * {@code schedule} throws an {@link InvalidMessageException}. If {@link #read} throws an
 * exception, the delivery fails with an {@link UnreadableMessageException}, by default
 * without a retry.
 */
public interface PayloadConverter {

	/**
	 * Converts a payload to bytes.
	 * @param payload the payload
	 * @return the bytes that Redis stores
	 */
	byte[] write(Object payload);

	/**
	 * Converts a payload to bytes, if the request says the type of the payload. By
	 * default the type is ignored.
	 * @param payload the payload
	 * @param type the type with its type arguments, as
	 * {@link ScheduleRequest#payload(Object, ParameterizedTypeReference)} got it
	 * @return the bytes that Redis stores
	 */
	default byte[] write(Object payload, Type type) {
		return write(payload);
	}

	/**
	 * Converts bytes to a payload.
	 * @param bytes the bytes that {@link #write} returned, possibly in an older version
	 * of the application
	 * @param type the type that the listener declares; never read from Redis
	 * @return the payload, an instance of {@code type}
	 */
	Object read(byte[] bytes, Type type);

}
