package io.delayqueue.model;

/**
 * The state of the whole system at one moment, packed into 192 bits. Immutable.
 *
 * @param first the first word
 * @param second the second word
 * @param third the third word
 */
record State(long first, long second, long third) {

	static final int WORDS = 3;

	static final State START = new State(0, 0, 0);

	long word(int word) {
		return (word == 0) ? this.first : (word == 1) ? this.second : this.third;
	}

	State withWord(int word, long bits) {
		return switch (word) {
			case 0 -> new State(bits, this.second, this.third);
			case 1 -> new State(this.first, bits, this.third);
			default -> new State(this.first, this.second, bits);
		};
	}

	int get(Field field) {
		return field.of(this);
	}

	State with(Field field, int value) {
		return field.set(this, value);
	}

	boolean has(Field field) {
		return get(field) != 0;
	}

	/** Whether the set of versions in a field has one of the given. */
	boolean has(Field field, int versions) {
		return (get(field) & versions) != 0;
	}

	State plus(Field field, int versions) {
		return with(field, get(field) | versions);
	}

	State minus(Field field, int versions) {
		return with(field, get(field) & ~versions);
	}

	State counted(Field counter) {
		return with(counter, get(counter) + 1);
	}

	/** A message exists if and only if it has a record. */
	boolean stored() {
		return has(Field.MESSAGES);
	}

	Message message() {
		return Message.of(get(Field.MESSAGES));
	}

	Expiry expiry() {
		return Expiry.of(get(Field.EXPIRIES));
	}

	Failures failures() {
		return Failures.of(get(Field.FAILURES));
	}

	ReadyStream ready() {
		return new ReadyStream(get(Field.READY));
	}

	State with(ReadyStream ready) {
		return with(Field.READY, ready.slots());
	}

	Consumer consumer(ConsumerName name) {
		return Consumer.of(get(name.field()));
	}

	State with(ConsumerName name, Consumer consumer) {
		return with(name.field(), consumer.toBits());
	}

	Location location() {
		int entry = get(Field.ENTRIES);
		if (entry != 0 && ready().pending(entry)) {
			return Location.PENDING;
		}
		if (entry != 0 && ready().undelivered(entry)) {
			return Location.READY;
		}
		if (has(Field.SCHEDULED)) {
			return Location.SCHEDULED;
		}
		if (has(Field.PARKED)) {
			return Location.PARKED;
		}
		return has(Field.DEAD) ? Location.DEAD : Location.NOWHERE;
	}

	/** The set with one version; empty for 0. */
	static int setOf(int version) {
		return (1 << version) >> 1;
	}

}
