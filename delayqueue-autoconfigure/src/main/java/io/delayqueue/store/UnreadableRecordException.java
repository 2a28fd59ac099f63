package io.delayqueue.store;

import org.jspecify.annotations.Nullable;

/**
 * A record does not have the form that this version writes.
 */
public final class UnreadableRecordException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	UnreadableRecordException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
