package io.delayqueue.test.fault;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class MonitorLineTests {

	@Test
	void clientNameAndArgumentsAreRead() {
		CommandLog.Command command = MonitorLine.parse("1700000000.123456 [0 127.0.0.1:50322] \"set\" \"k\" \"v w\"");
		assertThat(command.client()).isEqualTo("127.0.0.1:50322");
		assertThat(command.name()).isEqualTo("SET");
		assertThat(command.arguments()).containsExactly("k", "v w");
	}

	@Test
	void escapesAreUndone() {
		CommandLog.Command command = MonitorLine
			.parse("1700000000.123456 [0 127.0.0.1:50322] \"echo\" \"\\\"a\\\\b\\n\\xc3\\xa4\" \"\"");
		assertThat(command.arguments()).containsExactly("\"a\\b\nä", "");
	}

	@Test
	void commandOfScriptHasNoClient() {
		assertThat(MonitorLine.parse("1700000000.123456 [0 lua] \"time\"").client()).isEqualTo(MonitorLine.SCRIPT);
	}

	@Test
	void bracketsInArgumentsAreParsed() {
		CommandLog.Command command = MonitorLine.parse("1700000000.123456 [0 127.0.0.1:5] \"echo\" \"] \\\"x [\"");
		assertThat(command.arguments()).containsExactly("] \"x [");
	}

	@Test
	void otherTextIsRejected() {
		assertThatIllegalStateException().isThrownBy(() -> MonitorLine.parse("OK")).withMessageContaining("OK");
	}

}
