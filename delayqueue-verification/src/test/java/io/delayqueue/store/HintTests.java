package io.delayqueue.store;

import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The form of hints in Redis. */
class HintTests {

	private static final Partition PARTITION = new Partition("orders", 2, 7);

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MEMBERS")
	void everyHintIsReadAsItWasWritten(Kind kind) {
		Hint hint = new Hint(kind, PARTITION);
		assertThat(Hint.from(hint.text("sender"), "receiver")).isEqualTo(hint);
		assertThat(Hint.from(hint.text("sender"), "sender")).isNull();
	}

	@Test
	void hintOfCancelledMessagesHasTheirEntries() {
		Hint hint = new Hint(Kind.CANCELLED, PARTITION, List.of("1-0", "1700000000000-12"));
		assertThat(hint.text("sender")).isEqualTo("sender orders 2:7 cancelled 1-0 1700000000000-12");
		assertThat(Hint.from(hint.text("sender"), "receiver")).isEqualTo(hint);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "sender", "sender orders", "sender orders x", "sender orders 1 unknown",
			"sender orders 1 unknown 1-0" })
	void textOfAnotherFormIsIgnored(String text) {
		assertThat(Hint.from(text, "receiver")).isNull();
	}

	@Test
	void entriesOfAnotherFormAreIgnored() {
		assertThat(Hint.from("sender orders 1 cancelled 1-0 x 2-", "receiver"))
			.isEqualTo(new Hint(Kind.CANCELLED, new Partition("orders", 1), List.of("1-0")));
	}

}
