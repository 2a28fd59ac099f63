package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.journey.fixture.ExpiringMessages;
import io.delayqueue.journey.fixture.Handled;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages that have expired when an attempt is about to start.
 */
class ExpiryIntegrationTests extends ExpiringMessages {

	private static final Duration LONG = Duration.ofSeconds(60);

	@Test
	void messageThatExpiresBeforeItsReadIsDeadLetteredWithoutAFailure() {
		scheduleStopped("plain", "x");

		assertExpired(awaitDead("plain", "x"), 0);
		assertThat(this.late.expired).containsExactly("x DEAD_LETTERED");
		assertThat(this.late.handled.runs()).isEmpty();
	}

	@Test
	void messageThatExpiresInADroppingQueueIsRemoved() {
		scheduleStopped("dropping", "x");

		awaitGone("dropping", "x");
		Awaitility.await().until(() -> this.late.expired.equals(List.of("x DROPPED")));
		assertThat(this.late.handled.runs()).isEmpty();
		assertThat(this.queue.schedule(request("dropping", "x")).outcome()).as("as after handling")
			.isEqualTo(ScheduleResult.Outcome.DONE);
	}

	@Test
	void messageThatExpiresWhileItWaitsForAThreadIsDeadLettered() throws Exception {
		this.queue.schedule(request("one-thread", "first"));
		this.late.begun.await();
		Instant expiry = schedule(request("one-thread", "second").expireAfter(SHORT));
		this.queue.schedule(request("one-thread", "third"));
		for (String id : List.of("second", "third")) {
			Awaitility.await()
				.until(() -> this.queue.find("one-thread", id)
					.map(MessageSnapshot::state)
					.filter(MessageState.PENDING::equals)
					.isPresent());
		}
		awaitPast(expiry);

		this.late.go.countDown();

		assertExpired(awaitDead("one-thread", "second"), 0);
		assertThat(this.late.handled.await(2)).extracting(Handled.Run::id).containsExactly("first", "third");
	}

	@Test
	void messageThatExpiresWhileItsBatchIsCollectedIsNotInIt() {
		Instant due = Instant.now().plusMillis(200);
		this.queue.scheduleAll(List.of(request("batched", "a").dueAt(due), request("batched", "b").dueAt(due),
				request("batched", "c").dueAt(due).expireAfter(SHORT),
				request("batched", "d").dueAt(due).expireAfter(LONG)));

		assertExpired(awaitDead("batched", "c"), 0);
		this.late.handled.await(3);
		assertThat(this.late.batches).containsExactly(List.of("a", "b", "d"));
	}

	@Tag("slow")
	@Test
	void retryThatIsDueAfterTheExpiryDoesNotStart() {
		this.queue.schedule(request("failing", "x").backOff(BackOffPolicy.fixed(LONG.multipliedBy(2)))
			.expireAfter(Duration.ofSeconds(5)));

		assertExpired(awaitDead("failing", "x"), 1);
		assertThat(this.late.handled.runs()).hasSize(1);
	}

	@Tag("slow")
	@Test
	void handlerThatStartedInTimeMayRunBeyondTheExpiry() throws Exception {
		Instant expiry = schedule(request("one-thread", "x").expireAfter(Duration.ofSeconds(5)));
		this.late.begun.await();
		awaitPast(expiry);
		this.late.go.countDown();

		awaitGone("one-thread", "x");
		assertThat(this.late.handled.ids()).containsExactly("x");
		assertThat(this.late.expired).isEmpty();
	}

	private static void assertExpired(DeadLetter dead, int failures) {
		assertThat(dead.reason()).isEqualTo("EXPIRED");
		assertThat(dead.message()).startsWith("expired at ")
			.endsWith(", when attempt " + (failures + 1) + " had not begun");
		assertThat(dead.failures()).isEqualTo(failures);
	}

}
