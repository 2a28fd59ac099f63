package io.delayqueue.store;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random sequences of calls against the oracle, with an audit after every step. A failing
 * sequence is shortened and reported step by step. The system properties {@value #SEED}
 * and {@value #SEQUENCES} repeat a run and make it longer.
 */
class StoreSequencesIntegrationTests {

	private static final String SEED = "delayqueue.test.sequences.seed";

	private static final String SEQUENCES = "delayqueue.test.sequences";

	private static final int LENGTH = 80;

	@ParameterizedTest
	@CsvSource({ "JEDIS, 10", "LETTUCE, 3" })
	void everyStepHasTheAnswerAndResultOfTheOracle(Driver driver, int sequences) {
		run(driver, Integer.getInteger(SEQUENCES, sequences));
	}

	@Tag("slow")
	@Test
	void thousandsOfSequencesProduceEveryAnswer() {
		// Only a closed partition answers ELSEWHERE: see GrowthSequencesIntegrationTests
		assertThat(run(Driver.JEDIS, Integer.getInteger(SEQUENCES, 2000)))
			.containsAll(Stream.of(Stored.values(), Cancelled.values(), Moved.values(), Settled.values())
				.flatMap((answers) -> Stream.<Enum<?>>of(answers))
				.filter((answer) -> !answer.name().equals("ELSEWHERE"))
				.toList());
	}

	@Test
	void noScriptThatStopsBreaksAGuarantee() {
		stop(Integer.getInteger(SEQUENCES, 30));
	}

	@Tag("slow")
	@Test
	void thousandsOfStoppedScriptsBreakNoGuarantee() {
		stop(Integer.getInteger(SEQUENCES, 3000));
	}

	/** Runs so many sequences of few messages in which scripts stop half-way. */
	private static void stop(int sequences) {
		long seed = Long.getLong(SEED, System.nanoTime());
		System.out.println("Stopped sequences: -D" + SEED + "=" + seed + ", " + sequences);
		try (StoppedScripts scripts = StoppedScripts.with((file, text) -> text)) {
			StoppedSequences stopped = new StoppedSequences(scripts, seed);
			StoppedSequences.Failure failure = stopped.firstFailure(sequences);
			if (failure != null) {
				AssertionError shortened = stopped.shortened(failure);
				throw new AssertionError("-D" + SEED + "=" + seed + "\n" + shortened.getMessage(), shortened);
			}
		}
	}

	/** Runs so many sequences; returns all answers of the store. */
	private static Set<Enum<?>> run(Driver driver, int sequences) {
		long seed = Long.getLong(SEED, System.nanoTime());
		System.out.println("Store sequences over " + driver + ": -D" + SEED + "=" + seed + ", " + sequences + " of "
				+ LENGTH + " steps");
		Random random = new Random(seed);
		Set<Enum<?>> answers = new HashSet<>();
		for (int i = 0; i < sequences; i++) {
			List<Step> steps = Step.sequence(random, LENGTH);
			if (failure(driver, steps, answers) != null) {
				throw report(driver, Shrinker.shrink(steps, (some) -> failure(driver, some, answers) != null), seed);
			}
		}
		return answers;
	}

	private static AssertionError report(Driver driver, List<Step> steps, long seed) {
		Failure failure = failure(driver, steps, new HashSet<>());
		if (failure == null) {
			return new AssertionError("Failed once, and not again: -D" + SEED + "=" + seed);
		}
		return new AssertionError("-D" + SEED + "=" + seed + "\n" + String.join("\n", failure.log()) + "\n"
				+ failure.cause().getMessage(), failure.cause());
	}

	private static Failure failure(Driver driver, List<Step> steps, Set<Enum<?>> answers) {
		try (TestPartition partition = TestPartition.shared(driver)) {
			SequenceRun run = new SequenceRun(partition);
			try {
				run.run(steps);
				answers.addAll(run.answers());
				return null;
			}
			catch (AssertionError | RuntimeException cause) {
				return new Failure(run.log(), cause);
			}
		}
	}

	private record Failure(List<String> log, Throwable cause) {
	}

}
