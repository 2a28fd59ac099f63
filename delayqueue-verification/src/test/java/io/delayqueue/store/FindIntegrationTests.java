package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.Scenario.Given;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FindIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void anUnknownIdIsEmpty() {
		assertThat(find(States.finished())).isEmpty();
	}

	@Test
	void aScheduledMessageIsFoundWithAllItsData() {
		assertThat(find(States.scheduled("a"))).contains(new MessageSnapshot("orders", "a", null,
				MessageState.SCHEDULED, Instant.ofEpochMilli(DUE), Instant.ofEpochMilli(DUE), 0, null, Map.of(), null));
	}

	@Test
	void aRetriedMessageHasItsNextAttempt() {
		MessageSnapshot found = find(States.failedTwice(States.pending("a")).andThen((partition, held) -> {
			partition.store().release(DUE + 50, held.get(0));
			return held;
		})).orElseThrow();
		assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(found.dueAt()).isEqualTo(Instant.ofEpochMilli(DUE));
		assertThat(found.nextAttemptAt()).isEqualTo(Instant.ofEpochMilli(DUE + 50));
		assertThat(found.attempts()).isEqualTo(3);
		assertThat(found.lastFailure()).isEqualTo("it broke");
	}

	@Test
	void aReadyMessageIsReadyWithAndWithoutAConsumerGroup() {
		assertThat(find(States.ready("a"))).get()
			.extracting(MessageSnapshot::state, MessageSnapshot::nextAttemptAt)
			.containsExactly(MessageState.READY, null);
		this.store.cancel("a", 50);
		assertThat(find(States.pending("b").andThen((partition, held) -> {
			partition.store().schedule("a", DUE, 2);
			partition.store().sweep();
			return held;
		}))).get().extracting(MessageSnapshot::state).isEqualTo(MessageState.READY);
	}

	@Test
	void aPendingMessageIsPendingInWhateverOtherKeysItIs() {
		assertThat(find(States.alsoScheduled(States.pending("a")))).get()
			.extracting(MessageSnapshot::state, MessageSnapshot::nextAttemptAt)
			.containsExactly(MessageState.PENDING, null);
	}

	@Test
	void aDeadLetterHasItsReason() {
		MessageSnapshot found = find(States.dead()).orElseThrow();
		assertThat(found.state()).isEqualTo(MessageState.DEAD);
		assertThat(found.attempts()).isEqualTo(1);
		assertThat(found.lastFailure()).isEqualTo("it broke");
	}

	@Test
	void aRecordInNoStateCountsAsScheduledForItsDueTime() {
		MessageSnapshot found = find(States.scheduled("a").andThen((partition, held) -> {
			partition.command("ZREM", Key.SCHEDULED, "a");
			return held;
		})).orElseThrow();
		assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(found.nextAttemptAt()).isEqualTo(Instant.ofEpochMilli(DUE));
	}

	@Test
	void aRecordOfAnotherFormIsRefusedLoudly() {
		assertThatExceptionOfType(UnreadableRecordException.class)
			.isThrownBy(() -> find(States.scheduled("a").andThen((partition, held) -> {
				partition.command("HSET", Key.MESSAGES, "a", "2" + "0".repeat(16) + "t".repeat(11) + "something");
				return held;
			})));
	}

	@Test
	void theErrorForAnotherVersionNamesMessageAndVersion() {
		States.scheduled("a").prepare(this.partition);
		this.partition.command("HSET", Key.MESSAGES, "a", "2" + "0".repeat(16) + "t".repeat(11) + "something");
		QueueDirectory directory = new QueueDirectory(this.store.calls());
		assertThatExceptionOfType(UnknownRecordException.class)
			.isThrownBy(() -> new RetryingCalls(Duration.ofSeconds(5), new RedisGate(new TaskPool(), null), directory,
					new DeadLetterCarrier((queue) -> settings(), new EpochCalls(this.store.calls()), directory))
				.call(MessageKey.of("orders", "a"), settings(), (Optional<MessageSnapshot> found) -> found.isPresent(),
						(answer) -> false, (at) -> this.store.find(TestMessages.key("a"))))
			.withMessageContainingAll("Message 'a' of queue 'orders'", "version '2'", "newest known version is '1'")
			.satisfies((failure) -> assertThat(failure.messageId()).isEqualTo("a"));
		assertThat(this.store.cancel("a", 7)).isEqualTo(Cancelled.CANCELLED);
	}

	private static QueueSettings settings() {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

	private Optional<MessageSnapshot> find(Given state) {
		state.prepare(this.partition);
		PartitionDump before = this.partition.dump();
		Optional<MessageSnapshot> found = this.store.find(TestMessages.key("a"));
		assertThat(this.partition.dump()).isEqualTo(before);
		return found;
	}

}
