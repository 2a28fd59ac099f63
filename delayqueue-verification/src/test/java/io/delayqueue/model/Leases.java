package io.delayqueue.model;

/** The state of the leases of living consumers. */
enum Leases {

	/** Each lease is renewed in time. */
	RENEWED,

	/** Redis refuses all writes, renewals included. */
	REFUSED,

	/**
	 * Redis accepts writes again, but refused them for longer than the visibility
	 * timeout, and no heartbeat has run since: living consumers look as silent as dead
	 * ones.
	 */
	SILENT;

	private static final Leases[] ALL = values();

	static Leases of(State state) {
		return ALL[state.get(Field.LEASES)];
	}

	State in(State state) {
		return state.with(Field.LEASES, ordinal());
	}

}
