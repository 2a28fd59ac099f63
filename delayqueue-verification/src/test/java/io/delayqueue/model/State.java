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

	/** The set with one version; empty for 0. */
	static int setOf(int version) {
		return (1 << version) >> 1;
	}

}
