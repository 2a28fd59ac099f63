package io.delayqueue.model;

/** The single writes of the scripts. */
enum Command {

	ZADD_SCHEDULED("ZADD scheduled", Field.SCHEDULED),

	ZREM_SCHEDULED("ZREM scheduled", Field.SCHEDULED),

	ZADD_PARKED("ZADD parked", Field.PARKED),

	ZREM_PARKED("ZREM parked", Field.PARKED),

	ZADD_DEAD("ZADD dead", Field.DEAD),

	ZREM_DEAD("ZREM dead", Field.DEAD),

	ZADD_DONE("ZADD done", Field.DONE) {

		@Override
		State run(State state, int tombstone) {
			return state.with(Field.DONE, 1).plus(Field.TOMBSTONES, tombstone);
		}

	},

	ZADD_TOMBSTONE("ZADD done (tombstone)", Field.TOMBSTONES) {

		@Override
		State run(State state, int tombstoneAndAnswer) {
			return state.plus(Field.TOMBSTONES, tombstoneAndAnswer & 7).plus(Field.REMEMBERED, tombstoneAndAnswer >> 3);
		}

	},

	ZADD_MEMORY("ZADD done (memory)", Field.REMEMBERED) {

		@Override
		State run(State state, int calls) {
			return state.plus(Field.REMEMBERED, calls);
		}

	},

	ZADD_EXPIRIES("ZADD expiries", Field.EXPIRIES),

	ZREM_EXPIRIES("ZREM expiries", Field.EXPIRIES),

	HSET_FAILURES("HSET failures", Field.FAILURES),

	HSETNX_FAILURES("HSETNX failures", Field.FAILURES) {

		@Override
		State run(State state, int none) {
			return state.has(Field.FAILURES) ? state : state.with(Field.FAILURES, Failures.MARK.toBits());
		}

	},

	HDEL_FAILURES("HDEL failures", Field.FAILURES),

	HSET_ENTRIES("HSET entries", Field.ENTRIES),

	HDEL_ENTRIES("HDEL entries", Field.ENTRIES),

	HSET_MESSAGES("HSET messages", Field.MESSAGES),

	HDEL_MESSAGES("HDEL messages", Field.MESSAGES),

	XADD("XADD ready", Field.READY) {

		@Override
		State run(State state, int entry) {
			return state.with(state.ready().add(entry));
		}

	},

	XDEL("XDEL ready", Field.READY) {

		@Override
		State run(State state, int entry) {
			return state.with(state.ready().delete(entry));
		}

	},

	XACK("XACK ready", Field.READY) {

		@Override
		State run(State state, int entry) {
			return state.with(state.ready().acknowledge(entry));
		}

	};

	private final String words;

	private final Field key;

	Command(String words, Field key) {
		this.words = words;
		this.key = key;
	}

	/**
	 * Runs the command.
	 * @param state the state before
	 * @param value the value to set or add, 0 to remove
	 * @return the state after
	 */
	State run(State state, int value) {
		return state.with(this.key, value);
	}

	boolean writes(Field key) {
		return this.key == key;
	}

	boolean removes() {
		return this.words.matches("(ZREM|HDEL|XDEL|XACK) .*");
	}

	/** Command and key, and the purpose where command and key are ambiguous. */
	String words() {
		return this.words;
	}

}
