package io.delayqueue.model;

import java.util.Locale;

/** What a script answers. */
enum Answer {

	/** Stored, now or by an earlier attempt of this call. */
	CREATED,

	/** Stored instead of the message that was there. */
	REPLACED,

	/** Stored instead of the message that was there, due no earlier than that one. */
	POSTPONED,

	/** Has a new due time. */
	RESCHEDULED,

	/** The id is known; nothing stored. */
	DUPLICATE,

	/** The id is a dead letter. */
	DEAD,

	/** Its group has no room; nothing stored. */
	FULL,

	/** The id has finished and its window has not ended; nothing stored. */
	DONE,

	/** A consumer has the message. */
	IN_FLIGHT,

	/**
	 * To a consumer: its delivery is not the current one. To a caller: its message was
	 * accepted by an earlier attempt and another one has taken its place.
	 */
	SUPERSEDED,

	/** No consumer takes it from now on. */
	CANCELLED,

	/**
	 * Its message was accepted by an earlier attempt, and has been handled or cancelled.
	 */
	ENDED,

	/** No such message, or nothing to do. */
	NONE,

	/** What this very call was told by its first run. */
	AS_BEFORE,

	/** The settlement counts. */
	SETTLED,

	/** There is nothing to settle: no record, or this entry has settled it before. */
	GONE,

	/** The script has done its work. */
	MOVED;

	String words() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
