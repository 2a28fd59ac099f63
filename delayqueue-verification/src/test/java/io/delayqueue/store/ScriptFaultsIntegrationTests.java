package io.delayqueue.store;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test of {@link StoppedSequences} and {@link StoppedScenarios}: one of them notices
 * each fault of the scripts.
 */
class ScriptFaultsIntegrationTests {

	/** The sequences are the same in each run. */
	private static final long SEED = 5;

	@Tag("slow")
	@ParameterizedTest
	@EnumSource
	void everyFaultIsNoticed(ScriptFault fault) {
		try (StoppedScripts scripts = StoppedScripts.with(fault::in)) {
			assertThat(isNoticed(fault, scripts, 100) || isNoticedInAScenario(fault, scripts)
					|| isNoticed(fault, scripts, 5000))
				.isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "RECORD_BEFORE_GROUP", "REPLACE_KEEPS_ENTRY", "RESCHEDULE_MOVES_EARLIER_FIRST" })
	void someFaultsAreNoticedSoon(ScriptFault fault) {
		try (StoppedScripts scripts = StoppedScripts.with(fault::in)) {
			assertThat(isNoticed(fault, scripts, 100)).isTrue();
		}
	}

	private static boolean isNoticed(ScriptFault fault, StoppedScripts scripts, int sequences) {
		StoppedSequences.Failure failure = new StoppedSequences(scripts, SEED).firstFailure(sequences);
		if (failure != null) {
			System.out.println(fault.name() + ": sequence " + failure.number());
		}
		return failure != null;
	}

	private static boolean isNoticedInAScenario(ScriptFault fault, StoppedScripts scripts) {
		StoppedScenarios stopped = new StoppedScenarios(scripts);
		return isNoticed(fault, "a sweep before the repeat of a retry", stopped::checkFailuresAfterASweep)
				|| isNoticed(fault, "a sweep before the repeat of a schedule", stopped::checkTheLimitAfterASweep)
				|| Scenarios.all()
					.filter((scenario) -> fault.changes(scenario.script()))
					.anyMatch((scenario) -> isNoticed(fault, scenario.name(), () -> stopped.check(scenario)));
	}

	private static boolean isNoticed(ScriptFault fault, String what, Runnable check) {
		try {
			check.run();
			return false;
		}
		catch (AssertionError | RuntimeException noticed) {
			System.out.println(fault.name() + ": " + what);
			return true;
		}
	}

}
