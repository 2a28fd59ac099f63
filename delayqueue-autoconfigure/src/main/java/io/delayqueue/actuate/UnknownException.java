package io.delayqueue.actuate;

/**
 * A queue, view, message or action of that name does not exist.
 */
final class UnknownException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/** The kind of the missing thing. */
	enum What {

		/** A queue. */
		QUEUE("No queue of this name has ever been used"),

		/** A view of a queue. */
		VIEW("A queue has messages, message and dead-letters to show, and nothing of this name"),

		/** A message. */
		MESSAGE("The queue has no message with this id, or none in this group"),

		/** A dead letter. */
		DEAD_LETTER("The queue has no dead letter with this id, or none in this group"),

		/** An action. */
		ACTION("A queue has cancel, reschedule, redrive, discard, pause, resume, drain, reopen, purge, audit and repair,"
				+ " and nothing of this name");

		private final String title;

		What(String title) {
			this.title = title;
		}

		String title() {
			return this.title;
		}

	}

	private final What what;

	UnknownException(What what) {
		super(what.title, null, false, false);
		this.what = what;
	}

	What what() {
		return this.what;
	}

}
