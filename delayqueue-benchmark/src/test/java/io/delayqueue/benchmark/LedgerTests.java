package io.delayqueue.benchmark;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LedgerTests {

	private static final long LONG_AGO = 1_700_000_000_000L;

	private final Ledger ledger = new Ledger(2);

	@Test
	void aMessageIsParsedFromItsPayload() {
		Message message = new Message(1, LONG_AGO);
		assertThat(message.payload()).hasSize(Message.SIZE);
		assertThat(Message.of(message.payload())).isEqualTo(message);
	}

	@Test
	void messagesHandledOnceAndInTimePassTheCheck() {
		handle(0, 1);
		assertThatCode(() -> this.ledger.await(Duration.ZERO)).doesNotThrowAnyException();
		assertThatCode(this.ledger::check).doesNotThrowAnyException();
		assertThat(this.ledger.lateMillis(50)).isPositive();
	}

	@Test
	void aLostMessageIsReported() {
		handle(0);
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(() -> this.ledger.await(Duration.ZERO))
			.withMessageContaining("1 of 2 messages were not handled");
	}

	@Test
	void aMessageHandledTwiceIsReported() {
		handle(0, 1, 1);
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(this.ledger::check)
			.withMessage("message 1 was handled 2 times");
	}

	@Test
	void aRunThatEndsEarlyCountsWhatWasHandledAndOnlyOnce() throws InterruptedException {
		handle(0);
		assertThat(this.ledger.awaitAtMost(Duration.ZERO)).isFalse();
		assertThat(this.ledger.handled()).isEqualTo(1);
		assertThatCode(this.ledger::checkHandled).doesNotThrowAnyException();
		handle(0);
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(this.ledger::checkHandled)
			.withMessage("message 0 was handled 2 times");
	}

	@Test
	void anEarlyMessageIsReported() {
		handle(0);
		this.ledger.handle(new Message(1, Ledger.nowMicros() / 1000 + 60_000).payload());
		assertThatExceptionOfType(BenchmarkException.class).isThrownBy(this.ledger::check)
			.withMessage("1 messages were handled early");
	}

	private void handle(int... numbers) {
		for (int number : numbers) {
			this.ledger.handle(new Message(number, LONG_AGO).payload());
		}
	}

}
