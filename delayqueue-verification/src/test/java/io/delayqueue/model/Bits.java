package io.delayqueue.model;

/**
 * A range of bits in one of the words of a {@link State}.
 *
 * @param word the index of the word, from 0
 * @param shift the number of bits below the range
 * @param width the number of bits
 */
record Bits(int word, int shift, int width) {

	/** The next range of bits in the same word, above this one. */
	Bits next(int width) {
		return in(this.word, this.shift + this.width, width);
	}

	/** The first bits of a word. */
	static Bits first(int word, int width) {
		return in(word, 0, width);
	}

	private static Bits in(int word, int shift, int width) {
		if (word >= State.WORDS || shift + width > Long.SIZE) {
			throw new IllegalStateException("The bits do not fit into a state, which indicates a bug");
		}
		return new Bits(word, shift, width);
	}

	int of(State state) {
		return (int) (state.word(this.word) >>> this.shift) & mask();
	}

	State set(State state, int value) {
		if ((value & ~mask()) != 0) {
			throw new IllegalArgumentException(value + " does not fit into " + this);
		}
		long before = state.word(this.word);
		long after = before & ~((long) mask() << this.shift) | (long) value << this.shift;
		return (after != before) ? state.withWord(this.word, after) : state;
	}

	private int mask() {
		return (1 << this.width) - 1;
	}

}
