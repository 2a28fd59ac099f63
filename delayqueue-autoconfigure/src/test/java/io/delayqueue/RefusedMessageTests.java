package io.delayqueue;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the exceptions say that tell of a message which was refused. */
class RefusedMessageTests {

	@Test
	void aFullGroupIsNamedWithItsQuotaAndWhatToDo() {
		QuotaExceededException refusal = new QuotaExceededException("tickets", "t-4", "user-7", 3);
		assertThat(refusal).hasMessage("Message 't-4' was not scheduled, nothing is changed: group 'user-7' of queue"
				+ " 'tickets' has used up its quota of 3; try again when one of its messages is through, cancel one,"
				+ " or raise delayqueue.queues.tickets.group.quota");
		assertThat(refusal.queue()).isEqualTo("tickets");
		assertThat(refusal.messageId()).isEqualTo("t-4");
		assertThat(refusal.group()).contains("user-7");
		assertThat(refusal.quota()).isEqualTo(3);
	}

	@Test
	void aFullGroupThatTheCallerDidNotNameIsItsGroup() {
		QuotaExceededException refusal = new QuotaExceededException("tickets", "t-4", null, 3);
		assertThat(refusal).hasMessageContaining("its group of queue 'tickets' has used up its quota of 3");
		assertThat(refusal.group()).isEmpty();
	}

	@Test
	void aDuplicateSaysWhereTheKnownMessageIs() {
		DuplicateMessageException refusal = new DuplicateMessageException("orders", "o-1", MessageState.PENDING);
		assertThat(refusal).hasMessage("Message 'o-1' was not scheduled, nothing is written: queue 'orders' knows a"
				+ " message of this id, which is pending; use another id, or another policy than fail");
		assertThat(refusal.queue()).isEqualTo("orders");
		assertThat(refusal.messageId()).isEqualTo("o-1");
		assertThat(refusal.state()).contains(MessageState.PENDING);
	}

	@Test
	void aDuplicateOfAFinishedMessageSaysSo() {
		DuplicateMessageException refusal = new DuplicateMessageException("orders", "o-1", null);
		assertThat(refusal).hasMessageContaining("which has finished within its de-duplication window");
		assertThat(refusal.state()).isEmpty();
	}

}
