package io.delayqueue.record;

import org.jspecify.annotations.Nullable;

/** Reports a stored record whose form this version of the library cannot read. */
public sealed class UnreadableRecordException extends RuntimeException permits NewerRecordException {

	private static final long serialVersionUID = 1L;

	UnreadableRecordException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
