package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One step of a random sequence. The details of a step follow from its seed and from the
 * steps before it, so that steps can be left out.
 *
 * @param kind the kind of call
 * @param seed the seed of its random choices
 * @param writes the number of writes after which its script stops, {@value #ALL} for none
 */
record Step(Kind kind, long seed, int writes) {

	static final int ALL = Integer.MAX_VALUE;

	/** Of so many steps one is stopped, if it makes enough writes. */
	private static final int STOPPED = 3;

	private static final int MOST_WRITES = 14;

	/**
	 * The kinds of steps, with their number among 100 steps, and among 100 steps of which
	 * some stop.
	 */
	enum Kind {

		SCHEDULE(13, 15), SCHEDULE_AGAIN(6, 6), SWEEP(13, 13), READ(13, 9), ACKNOWLEDGE(8, 6), RELEASE(6, 3),
		RETRY(6, 4), RECLAIM(3, 4), DEAD_LETTER(5, 5), REDRIVE(3, 4), DISCARD(2, 4), CANCEL(6, 6), CANCEL_AGAIN(3, 2),
		RESCHEDULE(5, 7), RESCHEDULE_AGAIN(2, 1), PURGE(1, 4), REMOVE_OR_REDRIVE_AGAIN(3, 2), PAUSE(1, 0), DRAIN(1, 0),
		HOLD(0, 2), END_HOLD(0, 2), REPAIR(0, 1);

		private final int weight;

		private final int weightOfStopped;

		Kind(int weight, int weightOfStopped) {
			this.weight = weight;
			this.weightOfStopped = weightOfStopped;
		}

		private static Kind random(Random random, boolean mayStop) {
			int number = random.nextInt(100);
			for (Kind kind : values()) {
				number -= mayStop ? kind.weightOfStopped : kind.weight;
				if (number < 0) {
					return kind;
				}
			}
			throw new IllegalStateException("The sum of the weights is not 100");
		}

	}

	static List<Step> sequence(Random random, int length) {
		List<Step> steps = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			steps.add(new Step(Kind.random(random, false), random.nextLong(), ALL));
		}
		return steps;
	}

	/** A sequence in which scripts may stop half-way. */
	static List<Step> stoppedSequence(Random random, int length) {
		List<Step> steps = new ArrayList<>(length);
		for (int i = 0; i < length; i++) {
			steps.add(new Step(Kind.random(random, true), random.nextLong(),
					(random.nextInt(STOPPED) == 0) ? random.nextInt(MOST_WRITES) : ALL));
		}
		return steps;
	}

}
