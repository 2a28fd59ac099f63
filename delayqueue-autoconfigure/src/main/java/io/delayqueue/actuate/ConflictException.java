package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

/**
 * Things stand in a way that forbids what was to be done.
 */
final class ConflictException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** What is in the way. */
	enum What {

		/** A consumer has the message that was cancelled. */
		CANCELLED_IN_FLIGHT("A consumer has the message",
				"Its handler may finish. The message is removed, no retry and no redelivery follow"),

		/** A consumer has the message that was to be rescheduled. */
		IN_FLIGHT("A consumer has the message",
				"Nothing was changed; try again when its handler has ended and failed, or cancel it"),

		/** The message that was to be rescheduled is a dead letter. */
		DEAD_LETTER("The message is a dead letter", "Nothing was changed; redrive it"),

		/** The group of the message that was to be redriven is full. */
		QUOTA_EXCEEDED("The group of the message has used up its quota",
				"Nothing was changed; try again when one of its messages is through, cancel one, or raise the quota"),

		/** This process goes by another partition count than the queue. */
		OTHER_PARTITIONS("This process is configured with another number of partitions than the queue has",
				"Nothing was changed; ask a process that consumes the queue, or set the queue's partitions here"),

		/** The message is stored in a form that this process does not know. */
		UNKNOWN_RECORD("The message is stored in a form that this version of the library does not know",
				"Ask a process with the newer version");

		private final String title;

		private final String detail;

		What(String title, String detail) {
			this.title = title;
			this.detail = detail;
		}

		String title() {
			return this.title;
		}

		String detail() {
			return this.detail;
		}

	}

	private final What what;

	private final transient @Nullable OperationRecord record;

	/** Nothing was done. */
	ConflictException(What what) {
		this(what, null);
	}

	/** Not all that was wanted was done. */
	ConflictException(What what, @Nullable OperationRecord record) {
		super(what.title + ". " + what.detail, null, false, false);
		this.what = what;
		this.record = record;
	}

	What what() {
		return this.what;
	}

	@Nullable OperationRecord record() {
		return this.record;
	}

}
