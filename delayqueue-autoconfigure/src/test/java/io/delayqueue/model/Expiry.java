package io.delayqueue.model;

/**
 * The expiry that stands beside a record; it is counted from the due time.
 *
 * @param version the version that brought it, 0 if none stands there
 * @param due the due time that it is counted from
 */
record Expiry(int version, int due) {

	static final Expiry NONE = new Expiry(0, 0);

	static Expiry of(int bits) {
		return new Expiry(bits & 3, bits >> 2);
	}

	int toBits() {
		return this.version | this.due << 2;
	}

	boolean stands() {
		return this.version != 0;
	}

	Expiry movedTo(int due) {
		return new Expiry(this.version, due);
	}

	/** Whether a message that ends by it ends as somebody asked. */
	boolean isOf(Message message) {
		return (message.generation() & State.setOf(this.version)) != 0 && this.due >= message.due();
	}

}
