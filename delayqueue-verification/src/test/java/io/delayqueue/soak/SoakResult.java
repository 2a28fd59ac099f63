package io.delayqueue.soak;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The result of a soak.
 *
 * @param messages number of ids that were scheduled
 * @param accepted number of accepted ids without further calls
 * @param notAccepted number of ids that were not accepted
 * @param unknown number of ids with an unknown outcome or further calls
 * @param runs number of handler runs
 * @param duplicates number of runs that repeated a run that had not failed
 * @param interrupted number of runs in progress in killed or frozen processes
 * @param delayed number of runs in progress when Redis did not answer
 * @param reclaimed number of reclaims
 * @param mostRuns the most runs of one message
 * @param mostMillisLate the greatest lateness, ms
 * @param mostMillisLateUnheld the same of messages that no killed, frozen or silent
 * process held, ms
 * @param dead number of dead letters
 * @param drainMillis the time to drain, ms
 * @param violations the broken rules, and their messages
 * @param wrongAnswers the broken rules of {@link AnswerChecker}, and their messages
 */
record SoakResult(int messages, long accepted, long notAccepted, long unknown, int runs, int duplicates,
		int interrupted, int delayed, int reclaimed, int mostRuns, long mostMillisLate, long mostMillisLateUnheld,
		int dead, long drainMillis, Map<String, List<String>> violations, Map<String, List<String>> wrongAnswers) {

	private static final int MOST_EXAMPLES = 5;

	/** Adds broken rules. */
	SoakResult with(Map<String, List<String>> more) {
		Map<String, List<String>> all = new LinkedHashMap<>(this.violations);
		all.putAll(more);
		return new SoakResult(this.messages, this.accepted, this.notAccepted, this.unknown, this.runs, this.duplicates,
				this.interrupted, this.delayed, this.reclaimed, this.mostRuns, this.mostMillisLate,
				this.mostMillisLateUnheld, this.dead, this.drainMillis, all, this.wrongAnswers);
	}

	/** Every broken rule with its count and some examples. */
	List<String> complaints() {
		return Stream.of(this.violations, this.wrongAnswers)
			.flatMap((broken) -> broken.entrySet().stream())
			.map((broken) -> broken.getValue().size() + " " + broken.getKey() + ", for example "
					+ broken.getValue().stream().limit(MOST_EXAMPLES).toList())
			.toList();
	}

	@Override
	public String toString() {
		return "%d messages: %d accepted, %d not accepted, %d unknown or changed; ".formatted(this.messages,
				this.accepted, this.notAccepted, this.unknown)
				+ "%d runs, %d duplicates (%d in flight at kills and freezes, %d at outages of Redis), %d reclaimed, "
					.formatted(this.runs, this.duplicates, this.interrupted, this.delayed, this.reclaimed)
				+ "at most %d runs of a message and %d ms late (%d ms if no stopped process held it), %d dead letters, drained in %d ms; %s"
					.formatted(this.mostRuns, this.mostMillisLate, this.mostMillisLateUnheld, this.dead,
							this.drainMillis, complaints().isEmpty() ? "no rule broken" : complaints().toString());
	}

}
