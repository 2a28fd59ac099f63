package io.delayqueue.model;

import java.util.Locale;

/** The answer of a script. */
enum Answer {

	/** Stored, now or by an earlier attempt of this call. */
	CREATED,

	/** Stored in place of the existing message. */
	REPLACED,

	/** The id exists already; nothing stored. */
	DUPLICATE,

	/** The quota of its group is exhausted; nothing stored. */
	FULL,

	/** The id has finished and its window has not ended; nothing stored. */
	DONE,

	/**
	 * To a consumer: its delivery is not the current one. To a caller: an earlier attempt
	 * stored the message, and another message has replaced it since.
	 */
	SUPERSEDED,

	/** The message is cancelled; no consumer starts it from now on. */
	CANCELLED,

	/** An earlier attempt stored the message, and it has been handled or cancelled. */
	ENDED,

	/** No such message, or nothing to do. */
	NONE,

	/** The partition is closed: the message belongs to a newer epoch. */
	ELSEWHERE,

	/** The dead letters are being carried to a newer epoch; to be repeated. */
	CARRYING,

	/** The keys have a layout that the release does not know. */
	REFUSED;

	String words() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
