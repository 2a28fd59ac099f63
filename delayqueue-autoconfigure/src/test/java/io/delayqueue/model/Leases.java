package io.delayqueue.model;

/** What living consumers' leases are worth. */
enum Leases {

	/** Each is renewed in time. */
	RENEWED,

	/** Redis refuses to renew them, and everything else that writes. */
	REFUSED,

	/**
	 * Redis takes writes again, but refused for longer than the visibility timeout, and
	 * no heartbeat has been since: the living are as silent as the dead.
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
