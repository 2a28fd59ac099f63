package io.delayqueue.model;

/**
 * The expiry stored beside a record, counted from the due time.
 *
 * @param version the version that set it, 0 if there is none
 * @param due the due time from which it is counted
 */
record Expiry(int version, int due) {

	static final Expiry NONE = new Expiry(0, 0);

	static Expiry of(int bits) {
		return new Expiry(bits & 3, bits >> 2);
	}

	int toBits() {
		return this.version | this.due << 2;
	}

	boolean isSet() {
		return this.version != 0;
	}

	Expiry movedTo(int due) {
		return new Expiry(this.version, due);
	}

	/** Whether this expiry was requested for the message. */
	boolean isOf(Message message) {
		return (message.generation() & State.setOf(this.version)) != 0 && this.due >= message.due();
	}

}
