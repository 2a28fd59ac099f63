package io.delayqueue.model;

/**
 * The counters of failed deliveries.
 *
 * @param failures number of failed handlers, up to {@link #LIMIT}
 * @param crashes number of reclaims, up to {@link #LIMIT}
 * @param lastSettled the entry whose settlement wrote this, or {@link #OF_OLD}
 */
record Failures(int failures, int crashes, int lastSettled) {

	/** A message with this number becomes a dead letter. */
	static final int LIMIT = 2;

	/** An entry that can no longer be settled. */
	static final int OF_OLD = 7;

	/** Marks that leftovers of the id may exist. */
	static final Failures MARK = new Failures(0, 0, OF_OLD);

	static Failures of(int bits) {
		return new Failures(bits & 3, bits >> 2 & 3, bits >> 4);
	}

	int toBits() {
		return this.failures | this.crashes << 2 | this.lastSettled << 4;
	}

	Failures failed(int entry) {
		return new Failures(Math.min(this.failures + 1, LIMIT), this.crashes, entry);
	}

	Failures crashed() {
		return new Failures(this.failures, Math.min(this.crashes + 1, LIMIT), this.lastSettled);
	}

	Failures withLastSettled(int entry) {
		return new Failures(this.failures, this.crashes, entry);
	}

}
