package io.delayqueue.store;

import io.delayqueue.record.FailureRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

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
		Scenario retry = new Scenario("settle: retry, pending", States.pending("a"),
				(store, held) -> store.retry(held.get(0), "it broke"));
		new StoppedScenarios(scripts).forEachStop(retry, (stopped) -> {
			stopped.store().sweep();
			stopped.store().retry(stopped.held().get(0), "it broke");
			String failure = stopped.partition().dump().failures().get("a");
			assertThat(failure).isNotNull();
			assertThat(FailureRecord.from(Reply.bytes(failure)).failures()).isEqualTo(1);
		});
	}

}
