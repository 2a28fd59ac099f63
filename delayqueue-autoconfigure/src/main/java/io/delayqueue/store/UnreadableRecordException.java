package io.delayqueue.store;

import org.jspecify.annotations.Nullable;

/**
 * A record does not have a form that this version reads.
 */
public sealed class UnreadableRecordException extends RuntimeException permits NewerRecordException {

	private static final long serialVersionUID = 1L;

	UnreadableRecordException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
