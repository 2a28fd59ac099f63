package io.delayqueue.model;

/**
 * A record. Versions number the accepted messages of the id, from 1; 0 is no record.
 *
 * @param version the call that set the due time
 * @param due its due time, 1 or 2
 * @param token the call that created it: a reschedule keeps the token
 * @param generation the versions since it was created, as a set
 */
record Message(int version, int due, int token, int generation) {

	static Message of(int bits) {
		return new Message(bits & 3, bits >> 2 & 3, bits >> 4 & 3, bits >> 6);
	}

	int toBits() {
		return this.version | this.due << 2 | this.token << 4 | this.generation << 6;
	}

	static Message of(Call call, int due) {
		return new Message(call.version(), due, call.version(), call.versions());
	}

	Message rescheduled(Call call) {
		return new Message(call.version(), call.due(), this.token, this.generation | call.versions());
	}

	/**
	 * Drops data that no later step compares.
	 * @param versions the versions to drop
	 * @param token whether to drop the token
	 * @return the message
	 */
	Message without(int versions, boolean token) {
		return new Message(this.version, this.due, token ? this.version : this.token, this.generation & ~versions);
	}

	/** The same version with another due time. */
	Message moved(int due) {
		return new Message(this.version, due, this.token, this.generation);
	}
}
