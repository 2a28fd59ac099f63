package io.delayqueue.model;

/** Where a message is, as a script can tell it. */
enum Place {

	/** In the pending list, by the entry that the fence names. */
	PENDING,

	/** In the stream and undelivered, by the entry that the fence names. */
	READY,

	/** In the sorted set of due times. */
	SCHEDULED,

	/** Aside, because its group is full. */
	PARKED,

	/** Among the dead letters. */
	DEAD,

	/** In no place: what repair looks for. */
	NOWHERE

}
