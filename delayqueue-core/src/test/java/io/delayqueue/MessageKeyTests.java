package io.delayqueue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MessageKeyTests {

	@Test
	void aKeyHasNoGroupUntilOneIsSet() {
		MessageKey key = MessageKey.of("orders", "订单");
		assertThat(key.group()).isNull();
		assertThat(key.inGroup("用户")).isEqualTo(new MessageKey("orders", "订单", "用户"));
		assertThat(key).isEqualTo(new MessageKey("orders", "订单", null));
	}

	@Test
	void everyComponentIsValidated() {
		refused("queue", () -> MessageKey.of("{orders}", "a"));
		refused("id", () -> MessageKey.of("orders", "a\nb"));
		refused("group", () -> MessageKey.of("orders", "a").inGroup(""));
		refused("group", () -> new MessageKey("orders", "a", "\ud83d"));
	}

	private static void refused(String field, Runnable call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::run)
			.satisfies((problem) -> assertThat(problem.field()).isEqualTo(field));
	}

}
