package io.delayqueue.model;

/**
 * What a consumer knows of the one delivery it works on.
 *
 * @param phase how far it is
 * @param entry the delivered entry
 * @param version the version in the record that it read, 0 if there was none
 * @param due the due time in that record
 * @param sent whether the settlement was sent before
 * @param frozen whether its process stands still
 */
record Consumer(Phase phase, int entry, int version, int due, Sent sent, boolean frozen) {

	static final Consumer IDLE = new Consumer(Phase.IDLE, 0, 0, 0, Sent.NOT_YET, false);

	private static final Phase[] PHASES = Phase.values();

	private static final Sent[] SENT = Sent.values();

	/** How far a consumer is with its delivery. */
	enum Phase {

		IDLE, READ, LOOKED_AT, TAKEN, HANDLING, ACKNOWLEDGING, RETRYING, RELEASING

	}

	/** What has become of earlier attempts to settle. */
	enum Sent {

		NOT_YET, EXECUTED, WITHOUT_EFFECT

	}

	static Consumer of(int bits) {
		return new Consumer(PHASES[bits & 7], bits >> 3 & 7, bits >> 6 & 3, bits >> 8 & 3, SENT[bits >> 10 & 3],
				bits >> 12 != 0);
	}

	int toBits() {
		return this.phase.ordinal() | this.entry << 3 | this.version << 6 | this.due << 8 | this.sent.ordinal() << 10
				| (this.frozen ? 1 << 12 : 0);
	}

	static Consumer reading(int entry) {
		return new Consumer(Phase.READ, entry, 0, 0, Sent.NOT_YET, false);
	}

	Consumer sees(Message message) {
		return new Consumer(this.phase, this.entry, message.version(), message.due(), this.sent, false);
	}

	Consumer in(Phase phase) {
		boolean dueMatters = phase == Phase.LOOKED_AT || phase == Phase.TAKEN;
		return new Consumer(phase, this.entry, this.version, dueMatters ? this.due : 0, this.sent, false);
	}

	Consumer sent(Sent sent) {
		return new Consumer(this.phase, this.entry, this.version, this.due, sent, false);
	}

	Consumer freezes() {
		return new Consumer(this.phase, this.entry, this.version, this.due, this.sent, true);
	}

	Consumer withEntry(int entry) {
		return new Consumer(this.phase, entry, this.version, this.due, this.sent, this.frozen);
	}

	boolean idle() {
		return this.phase == Phase.IDLE;
	}

}
