package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.store.PendingMessages.Retry;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

class RetryIntegrationTests {

	private static final Duration WAIT = Duration.ofHours(1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void aFailureIsCountedAndTheMessageIsScheduled() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		Settlements retried = retry(held, "it broke");
		assertThat(retried).isEqualTo(new Settlements(List.of(Settled.COUNTED), 0,
				retried.nowMicros() / 1000 + WAIT.toMillis(), retried.nowMicros()));
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.scheduled("a", retried.headMillis())
			.failures("a", "1|0|0|" + held.entry() + "|it broke")
			.delivered(held.entry())
			.build());
	}

	@Test
	void failuresAddUpAndTheLastReasonStays() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		retry(held, "again");
		assertThat(this.partition.dump().failures()).containsEntry("a", "3|1|0|" + held.entry() + "|again");
	}

	@Test
	void anAttemptAfterTheExpiryIsRetriedAfterTheFullWait() {
		Entry held = expiring();
		Settlements retried = this.store.pending()
			.settle(this.store.partition(),
					List.of(new Retry(held.entry(), held.storedId(), WAIT, "it broke", false, true)));
		assertThat(retried.headMillis()).isEqualTo(retried.nowMicros() / 1000 + WAIT.toMillis());
	}

	@Test
	void anAttemptBeforeTheExpiryIsRetriedAtTheExpiryAtTheLatest() {
		assertThat(retry(expiring(), "it broke").headMillis()).isEqualTo(DUE + 1);
	}

	/** A pending message whose expiry has passed. */
	private Entry expiring() {
		NewMessage message = TestMessages.message("a", DUE, 1);
		this.store.schedule(new NewMessage("a", message.due(), null, Expiry.after(Duration.ofMillis(1)),
				message.onDuplicate(), message.envelope()));
		return this.store.take("holder").get(0);
	}

	@Test
	void aDeferIsNoFailureAndKeepsTheReason() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		assertThat(retry(held, null).each()).containsExactly(Settled.COUNTED);
		assertThat(this.partition.dump().failures()).containsEntry("a", "2|1|1|" + held.entry() + "|it broke");
	}

	@Test
	void onlyTheFirstOneDueIsTheNewHead() {
		this.store.schedule("soon", this.partition.now() + Duration.ofMinutes(1).toMillis(), 1);
		Entry held = States.pending("a").prepare(this.partition).get(0);
		assertThat(retry(held, "it broke").headMillis()).isZero();
	}

	@Test
	void aRetriedDeliveryHasNothingToSettle() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		retry(held, "it broke");
		PartitionDump before = this.partition.dump();
		Settlements again = retry(held, "it broke");
		assertThat(again).isEqualTo(new Settlements(List.of(Settled.GONE), 0, 0, again.nowMicros()));
		assertThat(this.store.acknowledge(held)).containsExactly(Settled.GONE);
		assertThat(this.store.deadLetter(held, "it broke")).isEqualTo(Settled.GONE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void anOldDeliveryRetriesNothing() {
		Entry held = States.replacedWhilePending().prepare(this.partition).get(0);
		Settlements retried = retry(held, "it broke");
		assertThat(retried).isEqualTo(new Settlements(List.of(Settled.SUPERSEDED), 0, 0, retried.nowMicros()));
		assertThat(this.partition.dump().scheduled()).containsEntry("a", DUE);
		assertThat(this.partition.dump().failures()).isEmpty();
	}

	@Test
	void failuresOfAnotherFormDoNotPreventARetry() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		this.partition.command("HSET", Key.FAILURES, "a", "of another program");
		assertThat(retry(held, "it broke").each()).containsExactly(Settled.COUNTED);
		assertThat(this.partition.dump().failures()).containsEntry("a", "1|0|0|" + held.entry() + "|it broke");
	}

	private Settlements retry(Entry held, String reason) {
		return this.store.retry(held, WAIT, reason, false);
	}

}
