package io.delayqueue.model;

/**
 * The state that a consumer keeps about its current delivery.
 *
 * @param phase the progress of the delivery
 * @param entry the delivered entry
 * @param version the version in the record that was read, 0 if there was no record
 * @param due the due time in that record
 * @param expiry the expiry that was read with it
 * @param sent whether the settlement was sent before
 * @param frozen whether the process is frozen
 */
record Consumer(Phase phase, int entry, int version, int due, ReadExpiry expiry, Sent sent, boolean frozen) {

	static final Consumer IDLE = new Consumer(Phase.IDLE, 0, 0, 0, ReadExpiry.NO_EXPIRY, Sent.NOT_YET, false);

	private static final Phase[] PHASES = Phase.values();

	private static final ReadExpiry[] SEEN = ReadExpiry.values();

	private static final Sent[] SENT = Sent.values();

	/** The progress of a delivery. */
	enum Phase {

		IDLE, READ, FIRST_READ, TAKEN, HANDLING, HANGING, ACKNOWLEDGING, RETRYING, ABANDONING, RELEASING, EXPIRING

	}

	/** The expiry that a consumer has read. */
	enum ReadExpiry {

		NO_EXPIRY, OWN_EXPIRY, FOREIGN_EXPIRY

	}

	/** The outcome of earlier attempts to settle. */
	enum Sent {

		NOT_YET, EXECUTED, WITHOUT_EFFECT

	}

	static Consumer of(int bits) {
		return new Consumer(PHASES[bits & 15], bits >> 4 & 7, bits >> 7 & 3, bits >> 9 & 3, SEEN[bits >> 11 & 3],
				SENT[bits >> 13 & 3], bits >> 15 != 0);
	}

	int toBits() {
		return this.phase.ordinal() | this.entry << 4 | this.version << 7 | this.due << 9 | this.expiry.ordinal() << 11
				| this.sent.ordinal() << 13 | (this.frozen ? 1 << 15 : 0);
	}

	static Consumer reading(int entry) {
		return new Consumer(Phase.READ, entry, 0, 0, ReadExpiry.NO_EXPIRY, Sent.NOT_YET, false);
	}

	Consumer reads(Message message) {
		return new Consumer(this.phase, this.entry, message.version(), message.due(), this.expiry, this.sent, false);
	}

	Consumer reads(ReadExpiry expiry) {
		return new Consumer(this.phase, this.entry, this.version, this.due, expiry, this.sent, false);
	}

	Consumer in(Phase phase) {
		boolean dueMatters = phase == Phase.FIRST_READ || phase == Phase.TAKEN;
		ReadExpiry kept = (dueMatters || phase == Phase.EXPIRING) ? this.expiry : ReadExpiry.NO_EXPIRY;
		return new Consumer(phase, this.entry, this.version, dueMatters ? this.due : 0, kept, this.sent, false);
	}

	Consumer sent(Sent sent) {
		return new Consumer(this.phase, this.entry, this.version, this.due, this.expiry, sent, false);
	}

	Consumer freezes() {
		return new Consumer(this.phase, this.entry, this.version, this.due, this.expiry, this.sent, true);
	}

	Consumer withEntry(int entry) {
		return new Consumer(this.phase, entry, this.version, this.due, this.expiry, this.sent, this.frozen);
	}

	/** Whether the consumer is alive and holds this entry. */
	boolean worksOn(int entry) {
		return !this.frozen && this.entry == entry;
	}

	boolean idle() {
		return this.phase == Phase.IDLE;
	}

}
