package io.delayqueue.model;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The steps that happen without users or faults, kept to find the states from which a
 * good state can be reached.
 */
final class Edges {

	private int[] firsts = new int[1 << 12];

	private int[] targets = new int[1 << 14];

	private int states;

	private int size;

	/** Starts the edges of the next state. */
	void nextState() {
		if (this.states + 1 == this.firsts.length) {
			this.firsts = Arrays.copyOf(this.firsts, this.firsts.length * 2);
		}
		this.firsts[++this.states] = this.size;
	}

	void add(int target, boolean repair) {
		if (this.size == this.targets.length) {
			this.targets = Arrays.copyOf(this.targets, this.targets.length * 2);
		}
		this.targets[this.size++] = target << 1 | (repair ? 1 : 0);
		this.firsts[this.states] = this.size;
	}

	/**
	 * Adds every state from which a good state can be reached, until nothing changes.
	 * @param good the good states; added to
	 * @param withRepair whether repair may run
	 */
	void spreadBack(BitSet good, boolean withRepair) {
		boolean changed = true;
		while (changed) {
			changed = false;
			for (int state = this.states - 1; state >= 0; state--) {
				if (!good.get(state) && reaches(state, good, withRepair)) {
					good.set(state);
					changed = true;
				}
			}
		}
	}

	private boolean reaches(int state, BitSet good, boolean withRepair) {
		for (int i = this.firsts[state]; i < this.firsts[state + 1]; i++) {
			boolean repair = (this.targets[i] & 1) != 0;
			if ((withRepair || !repair) && good.get(this.targets[i] >> 1)) {
				return true;
			}
		}
		return false;
	}

}
