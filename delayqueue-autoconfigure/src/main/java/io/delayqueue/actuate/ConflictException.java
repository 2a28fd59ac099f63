package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

/**
 * The current state does not permit the operation. Reported as HTTP 409.
 */
final class ConflictException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** The reason for the conflict. */
	enum What {

		/** The message was cancelled while a consumer handles it. */
		CANCELLED_IN_FLIGHT("A consumer has the message",
				"Its handler may finish. The message is removed, no retry and no redelivery follow"),

		/** The message cannot be rescheduled while a consumer handles it. */
		IN_FLIGHT("A consumer has the message",
				"Nothing was changed; try again when its handler has ended and failed, or cancel it"),

		/** A dead letter cannot be rescheduled. */
		DEAD_LETTER("The message is a dead letter", "Nothing was changed; redrive it"),

		/** The message cannot be redriven because its group has reached its quota. */
		QUOTA_EXCEEDED("The group of the message has used up its quota",
				"Nothing was changed; try again when one of its messages is through, cancel one, or raise the quota"),

		/** The configured partition count differs from the queue's. */
		OTHER_PARTITIONS("This process is configured with another number of partitions than the queue has",
				"Nothing was changed; ask a process that consumes the queue, or set the queue's partitions here"),

		/** The record has a format that this version cannot read. */
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

	/** A conflict in which nothing was changed. */
	ConflictException(What what) {
		this(what, null);
	}

	/** A conflict in which part of the operation was carried out. */
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
