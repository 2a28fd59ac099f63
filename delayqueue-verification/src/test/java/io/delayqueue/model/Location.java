package io.delayqueue.model;

/** The location of a message as a script determines it. */
enum Location {

	/** In the pending list, under the entry of the fence. */
	PENDING,

	/** In the stream and undelivered, under the entry of the fence. */
	READY,

	/** In the sorted set of due times. */
	SCHEDULED,

	/** Parked, because its group is at its limit. */
	PARKED,

	/** Among the dead letters. */
	DEAD,

	/** In no location: repair looks for these. */
	NOWHERE

}
