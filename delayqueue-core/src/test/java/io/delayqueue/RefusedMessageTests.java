package io.delayqueue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Messages and attributes of the exceptions for refused messages. */
class RefusedMessageTests {

	@Test
	void quotaExceededNamesGroupQuotaAndRemedies() {
		QuotaExceededException refusal = new QuotaExceededException("tickets", "t-4", "user-7", 3);
		assertThat(refusal)
			.hasMessage("Message 't-4' was not scheduled, and nothing has changed: group 'user-7' of queue"
					+ " 'tickets' has used up its quota of 3; try again when one of its messages has finished, cancel one,"
					+ " or raise delayqueue.queues.tickets.group.quota");
		assertThat(refusal.queue()).isEqualTo("tickets");
		assertThat(refusal.messageId()).isEqualTo("t-4");
		assertThat(refusal.group()).contains("user-7");
		assertThat(refusal.quota()).isEqualTo(3);
	}

	@Test
	void quotaExceededWithoutGroupKeySaysItsGroup() {
		QuotaExceededException refusal = new QuotaExceededException("tickets", "t-4", null, 3);
		assertThat(refusal).hasMessageContaining("its group of queue 'tickets' has used up its quota of 3");
		assertThat(refusal.group()).isEmpty();
	}

	@Test
	void duplicateNamesTheStateOfTheExistingMessage() {
		DuplicateMessageException refusal = new DuplicateMessageException("orders", "o-1", MessageState.PENDING);
		assertThat(refusal).hasMessage("Message 'o-1' was not scheduled, nothing is written: queue 'orders' has a"
				+ " message with this id already, which is pending; use another id, or another policy than fail");
		assertThat(refusal.queue()).isEqualTo("orders");
		assertThat(refusal.messageId()).isEqualTo("o-1");
		assertThat(refusal.state()).contains(MessageState.PENDING);
	}

	@Test
	void duplicateOfAFinishedMessageHasNoState() {
		DuplicateMessageException refusal = new DuplicateMessageException("orders", "o-1", null);
		assertThat(refusal).hasMessageContaining("which has finished within its de-duplication window");
		assertThat(refusal.state()).isEmpty();
	}

}
