package io.delayqueue.store;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Redis does not roll a script back: the writes before a stop stay. The tests stop each
 * call, in each state, after each of its writes.
 */
@Tag("slow")
class StoppedScriptIntegrationTests {

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@ParameterizedTest
	@MethodSource("io.delayqueue.store.Scenarios#all")
	void aCallThatStopsAnywhereLosesNothingAndCanBeRepeated(Scenario scenario) {
		new StoppedScenarios(scripts).check(scenario);
	}

	@Test
	void aFailureIsCountedOnceEvenIfASweepRunsBeforeTheRepeat() {
		new StoppedScenarios(scripts).checkFailuresAfterASweep();
	}

	@Test
	void aGroupKeepsItsLimitEvenIfASweepRunsBeforeTheRepeat() {
		new StoppedScenarios(scripts).checkTheLimitAfterASweep();
	}

}
