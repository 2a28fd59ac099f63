package io.delayqueue.model;

/**
 * What a consumer knows of the one delivery it works on.
 *
 * @param phase how far it is
 * @param entry the delivered entry
 * @param version the version in the record that it read, 0 if there was none
 * @param due the due time in that record
 * @param seen whether an expiry stood there
 * @param sent whether the settlement was sent before
 * @param frozen whether its process stands still
 */
record Consumer(Phase phase, int entry, int version, int due, Seen seen, Sent sent, boolean frozen) {

	static final Consumer IDLE = new Consumer(Phase.IDLE, 0, 0, 0, Seen.NO_EXPIRY, Sent.NOT_YET, false);

	private static final Phase[] PHASES = Phase.values();

	private static final Seen[] SEEN = Seen.values();

	private static final Sent[] SENT = Sent.values();

	/** How far a consumer is with its delivery. */
	enum Phase {

		IDLE, READ, LOOKED_AT, TAKEN, HANDLING, HANGING, ACKNOWLEDGING, RETRYING, ABANDONING, RELEASING, EXPIRING

	}

	/** What a consumer has read of an expiry. */
	enum Seen {

		NO_EXPIRY, OWN_EXPIRY, FOREIGN_EXPIRY

	}

	/** What has become of earlier attempts to settle. */
	enum Sent {

		NOT_YET, EXECUTED, WITHOUT_EFFECT

	}

	static Consumer of(int bits) {
		return new Consumer(PHASES[bits & 15], bits >> 4 & 7, bits >> 7 & 3, bits >> 9 & 3, SEEN[bits >> 11 & 3],
				SENT[bits >> 13 & 3], bits >> 15 != 0);
	}

	int toBits() {
		return this.phase.ordinal() | this.entry << 4 | this.version << 7 | this.due << 9 | this.seen.ordinal() << 11
				| this.sent.ordinal() << 13 | (this.frozen ? 1 << 15 : 0);
	}

	static Consumer reading(int entry) {
		return new Consumer(Phase.READ, entry, 0, 0, Seen.NO_EXPIRY, Sent.NOT_YET, false);
	}

	Consumer sees(Message message) {
		return new Consumer(this.phase, this.entry, message.version(), message.due(), this.seen, this.sent, false);
	}

	Consumer sees(Seen expiry) {
		return new Consumer(this.phase, this.entry, this.version, this.due, expiry, this.sent, false);
	}

	Consumer in(Phase phase) {
		boolean dueMatters = phase == Phase.LOOKED_AT || phase == Phase.TAKEN;
		Seen kept = (dueMatters || phase == Phase.EXPIRING) ? this.seen : Seen.NO_EXPIRY;
		return new Consumer(phase, this.entry, this.version, dueMatters ? this.due : 0, kept, this.sent, false);
	}

	Consumer sent(Sent sent) {
		return new Consumer(this.phase, this.entry, this.version, this.due, this.seen, sent, false);
	}

	Consumer freezes() {
		return new Consumer(this.phase, this.entry, this.version, this.due, this.seen, this.sent, true);
	}

	Consumer withEntry(int entry) {
		return new Consumer(this.phase, entry, this.version, this.due, this.seen, this.sent, this.frozen);
	}

	/** Whether it lives and holds this entry. */
	boolean worksOn(int entry) {
		return !this.frozen && this.entry == entry;
	}

	boolean idle() {
		return this.phase == Phase.IDLE;
	}

}
