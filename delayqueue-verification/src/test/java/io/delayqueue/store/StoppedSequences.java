package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * Random sequences of calls about few messages, in which scripts stop half-way.
 */
final class StoppedSequences {

	private static final int LENGTH = 40;

	private static final int IDS = 2;

	private final StoppedScripts scripts;

	private final long seed;

	StoppedSequences(StoppedScripts scripts, long seed) {
		this.scripts = scripts;
		this.seed = seed;
	}

	/** Runs at most so many sequences, until one fails. */
	@Nullable Failure firstFailure(int sequences) {
		Random random = new Random(this.seed);
		for (int n = 1; n <= sequences; n++) {
			List<String> ids = new ArrayList<>(Draw.IDS);
			Collections.shuffle(ids, random);
			List<String> few = ids.subList(0, IDS);
			List<Step> steps = Step.stoppedSequence(random, LENGTH);
			AssertionError cause = failure(few, steps);
			if (cause != null) {
				return new Failure(n, few, steps, cause);
			}
		}
		return null;
	}

	/** The steps that suffice for a failure, and its cause. */
	AssertionError shortened(Failure failure) {
		List<Step> shortest = Shrinker.shrink(failure.steps(), (some) -> failure(failure.ids(), some) != null);
		AssertionError cause = failure(failure.ids(), shortest);
		return (cause != null) ? cause : failure.cause();
	}

	private @Nullable AssertionError failure(List<String> ids, List<Step> steps) {
		try (TestPartition partition = TestPartition.shared()) {
			SequenceRun run = new SequenceRun(partition, this.scripts, ids);
			try {
				run.run(steps);
				return null;
			}
			catch (AssertionError | RuntimeException cause) {
				return new AssertionError(String.join("\n", run.log()) + "\n" + cause.getMessage(), cause);
			}
		}
	}

	/**
	 * A sequence that fails.
	 *
	 * @param number its number, from 1
	 * @param ids the ids that it uses
	 * @param steps its steps
	 * @param cause why it fails
	 */
	record Failure(int number, List<String> ids, List<Step> steps, AssertionError cause) {
	}

}
