package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Hides what operators must not see of messages. Every bean of this type is asked, in
 * their order, before the actuator endpoint shows a payload, a header's value, or what an
 * exception said; each gets what the one before it has left. Asked by several threads.
 *
 * <p>
 * To mask is not to allow: a payload is shown only where
 * {@code management.endpoint.delayqueue.show-payloads} says so, and only as much of it as
 * {@code management.endpoint.delayqueue.max-payload-size} allows. A mask sees all of it,
 * so that it can read it as JSON. A mask that throws hides what it was asked about.
 */
@FunctionalInterface
public interface MessageMask {

	/**
	 * Masks a text.
	 * @param content the text, and what it is
	 * @return what to show instead, or the same text; {@code null} to hide it
	 */
	@Nullable String mask(Content content);

	/** What a text is. */
	enum Part {

		/** The payload, which is well-formed UTF-8, as its converter wrote it. */
		PAYLOAD,

		/** The payload, which is no text, in Base64. */
		BINARY_PAYLOAD,

		/** The value of a header. */
		HEADER,

		/** What an exception said, which may quote the payload. */
		FAILURE

	}

	/**
	 * A text of a message.
	 *
	 * @param queue the message's queue
	 * @param messageId the message's id
	 * @param part what the text is
	 * @param header the name of the header, {@code null} unless the text is its value
	 * @param text the text
	 */
	record Content(String queue, String messageId, Part part, @Nullable String header, String text) {
	}

}
