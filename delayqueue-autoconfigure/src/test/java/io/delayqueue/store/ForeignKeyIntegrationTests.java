package io.delayqueue.store;

import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Another program uses one of our keys for something else: a call that needs the key
 * writes nothing at all, and its message is enough to mend it.
 */
class ForeignKeyIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	@ParameterizedTest
	@MethodSource
	void nothingIsWritten(Scenario scenario, Key foreign) {
		List<Entry> held = scenario.given().prepare(this.partition);
		this.partition.command("DEL", foreign);
		this.partition.command("SET", foreign, "of another program");
		PartitionDump before = this.partition.dump();
		StoreException refused = catchThrowableOfType(StoreException.class,
				() -> scenario.when().call(this.partition.store(), held));
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(refused).as("%s, %s", scenario, foreign).isNotNull();
		assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
		assertThat(refused).hasMessageContaining("'" + this.partition.key(foreign) + "'")
			.hasMessageContaining("holds a string but must be a " + foreign.type())
			.hasMessageContaining("delayqueue.key-prefix");
	}

	static Stream<Arguments> nothingIsWritten() {
		return Scenarios.all()
			.flatMap((scenario) -> scenario.script().keys().stream().map((key) -> Arguments.of(scenario, key)));
	}

}
