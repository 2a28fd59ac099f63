package io.delayqueue.model;

import java.util.Arrays;

/**
 * The states found, numbered in the order of their discovery, each with the state that it
 * was first reached from. Open addressing in plain arrays: at most 80 bytes a state.
 */
final class StateSpace {

	private static final int INITIAL_CAPACITY = 1 << 12;

	/** The words of each state, side by side. */
	private long[] words = new long[State.WORDS * INITIAL_CAPACITY];

	private int[] parents = new int[INITIAL_CAPACITY];

	/** Numbers of states, plus 1; 0 is a free slot. */
	private int[] table = new int[2 * INITIAL_CAPACITY];

	private int size;

	StateSpace(State start) {
		add(start, 0);
	}

	/**
	 * Finds a state, or adds it.
	 * @param state the state
	 * @param parent the number of the state before it
	 * @return its number: the former {@link #size()} if it is new
	 */
	int add(State state, int parent) {
		int slot = slot(state);
		if (this.table[slot] != 0) {
			return this.table[slot] - 1;
		}
		if (this.size == this.parents.length) {
			grow();
			slot = slot(state);
		}
		int at = State.WORDS * this.size;
		this.words[at] = state.first();
		this.words[at + 1] = state.second();
		this.words[at + 2] = state.third();
		this.parents[this.size] = parent;
		this.table[slot] = ++this.size;
		return this.size - 1;
	}

	State get(int number) {
		int at = State.WORDS * number;
		return new State(this.words[at], this.words[at + 1], this.words[at + 2]);
	}

	int parent(int number) {
		return this.parents[number];
	}

	int size() {
		return this.size;
	}

	/** The slot with the state, or the free slot for it. */
	private int slot(State state) {
		int mask = this.table.length - 1;
		int slot = hash(state) & mask;
		while (this.table[slot] != 0) {
			int at = State.WORDS * (this.table[slot] - 1);
			if (this.words[at] == state.first() && this.words[at + 1] == state.second()
					&& this.words[at + 2] == state.third()) {
				return slot;
			}
			slot = slot + 1 & mask;
		}
		return slot;
	}

	/** Every bit of all words affects the low bits. */
	private static int hash(State state) {
		long mixed = state.first() * 0x9E3779B97F4A7C15L;
		mixed = (mixed ^ mixed >>> 32 ^ state.second()) * 0xC2B2AE3D27D4EB4FL;
		mixed = (mixed ^ mixed >>> 32 ^ state.third()) * 0x9E3779B97F4A7C15L;
		return (int) (mixed ^ mixed >>> 32);
	}

	private void grow() {
		int capacity = this.size * 2;
		this.words = Arrays.copyOf(this.words, State.WORDS * capacity);
		this.parents = Arrays.copyOf(this.parents, capacity);
		this.table = new int[2 * capacity];
		for (int number = 0; number < this.size; number++) {
			this.table[slot(get(number))] = number + 1;
		}
	}

}
