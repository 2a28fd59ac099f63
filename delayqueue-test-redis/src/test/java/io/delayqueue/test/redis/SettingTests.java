package io.delayqueue.test.redis;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SettingTests {

	@Test
	void argumentsAreQuoted() {
		assertThat(Setting.of("requirepass", "a \"b\" \\c").line()).isEqualTo("requirepass \"a \\\"b\\\" \\\\c\"");
	}

	@Test
	void emptyArgumentStaysAnArgument() {
		assertThat(Setting.of("save", "").line()).isEqualTo("save \"\"");
	}

	@Test
	void blankNameIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> Setting.of(" ", 1));
	}

}
