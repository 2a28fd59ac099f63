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
 */
record Step(Kind kind, long seed) {

	/** The kinds of steps, with their number among 100 steps. */
	enum Kind {

		SCHEDULE(13), SCHEDULE_AGAIN(6), SWEEP(13), READ(13), ACKNOWLEDGE(8), RELEASE(6), RETRY(6), RECLAIM(3),
		DEAD_LETTER(5), REDRIVE(3), DISCARD(2), CANCEL(6), CANCEL_AGAIN(3), RESCHEDULE(5), RESCHEDULE_AGAIN(2),
		PURGE(1), REMOVE_OR_REDRIVE_AGAIN(3), PAUSE(1), DRAIN(1);

		private final int weight;

		Kind(int weight) {
			this.weight = weight;
		}

		private static Kind random(Random random) {
			int number = random.nextInt(100);
			for (Kind kind : values()) {
				number -= kind.weight;
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
			steps.add(new Step(Kind.random(random), random.nextLong()));
		}
		return steps;
	}

}
