package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

/**
 * The payload of a message.
 *
 * @param size its size, bytes
 * @param hidden why it is not shown: {@code not-allowed}, {@code masked} or
 * {@code mask-failed}; {@code null} if it is shown
 * @param encoding how it is shown: {@code text}, or {@code base64} if it is not
 * well-formed UTF-8; {@code null} if it is hidden
 * @param content the shown part of it, {@code null} if it is hidden
 * @param truncated whether only a part of it is shown
 */
public record PayloadDescriptor(long size, @Nullable String hidden, @Nullable String encoding, @Nullable String content,
		boolean truncated) {

	static PayloadDescriptor hidden(long size, String why) {
		return new PayloadDescriptor(size, why, null, null, false);
	}

}
