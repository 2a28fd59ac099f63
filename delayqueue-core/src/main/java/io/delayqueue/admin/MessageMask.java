package io.delayqueue.admin;

import org.jspecify.annotations.Nullable;

/**
 * Masks confidential parts of messages. Before the actuator endpoint shows a payload, the
 * value of a header, or the message of an exception, the endpoint calls all beans of this
 * type in their order. Each mask receives the result of the previous mask.
 * Implementations must be thread-safe.
 *
 * <p>
 * A mask does not grant access: a payload is shown only if {@code
 * management.endpoint.delayqueue.show-payloads} allows it, and the shown text is cut at
 * {@code management.endpoint.delayqueue.max-payload-size}. A mask receives the whole
 * payload, so that the mask can parse the payload as JSON. If a mask throws an exception,
 * the endpoint does not show the text.
 */
@FunctionalInterface
public interface MessageMask {

	/**
	 * Masks a text of a message.
	 * @param content the text and its origin
	 * @return the text that the endpoint shows, possibly unchanged; {@code null} to hide
	 * the text
	 */
	@Nullable String mask(Content content);

	/** The part of a message from which a text comes. */
	enum Part {

		/** A payload that is well-formed UTF-8, as the payload converter wrote it. */
		PAYLOAD,

		/** A payload that is not well-formed UTF-8, in Base64. */
		BINARY_PAYLOAD,

		/** The value of a header. */
		HEADER,

		/** The message of an exception, which may quote the payload. */
		FAILURE

	}

	/**
	 * A text of a message that the actuator endpoint is about to show.
	 *
	 * @param queue the message's queue
	 * @param messageId the message's id
	 * @param part the part of the message
	 * @param header the name of the header, {@code null} unless the part is
	 * {@link Part#HEADER}
	 * @param text the text
	 */
	record Content(String queue, String messageId, Part part, @Nullable String header, String text) {
	}

}
