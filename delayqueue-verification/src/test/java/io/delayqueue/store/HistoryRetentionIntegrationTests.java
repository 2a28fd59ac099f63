package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.MessageEnd;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.store.History.Ended;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * For how long the history keeps ended messages, and how many.
 */
class HistoryRetentionIntegrationTests extends KeptHistory {

	/** More calls than any trim needs. */
	private static final int CALLS = 400;

	@Test
	void whatTheHistoryKeepsIsStoredOnceAndEndsAfterItsTime() {
		this.store.keep(WEEK);
		assertThat(this.partition.dump().control()).containsEntry("history", WEEK);
		this.store.acknowledge(taken());
		this.store.keep(History.UNCHANGED);
		assertThat(this.partition.dump().control()).containsEntry("history", WEEK);
		this.store.keep(History.OFF);
		assertThat(this.partition.dump().control()).containsEntry("history", WEEK.replaceFirst("\\|.*", "|0"));
		this.store.schedule("b", DUE, 2);
		this.store.acknowledge(this.store.take("holder").get(0));
		assertThat(find("a")).isPresent();
		assertThat(find("b")).isEmpty();
		assertThat(this.store.history().trim(this.store.partition())).isFalse();
		assertThat(find("a")).isPresent();
		this.partition.command("HSET", Key.CONTROL, "history", "0|0");
		assertThat(this.store.history().trim(this.store.partition())).isFalse();
		assertThat(this.partition.dump().control()).doesNotContainKey("history");
		assertThat(this.partition.dump().otherKeys().keySet()).noneMatch((key) -> key.endsWith(":ends"));
		assertThat(this.store.ends()).isEmpty();
	}

	@Test
	void withoutConsumersTheHistoryIsBoundedByNumber() {
		this.store.keep(Duration.ofDays(7).toMillis() + "|10");
		for (int n = 0; n < CALLS; n++) {
			this.store.schedule("m-" + n, FAR, n);
			this.store.cancel("m-" + n, CALLS + n);
		}
		// About every sixteenth end removes up to 64
		assertThat(this.store.ends()).hasSizeLessThan(150);
		assertThat(length("HLEN", Key.ENDS)).isEqualTo(this.store.ends().size());
		this.store.history().trim(this.store.partition());
		assertThat(this.store.ends()).extracting(Ended::id)
			.containsExactlyElementsOf(IntStream.range(0, 10).mapToObj((n) -> "m-" + (CALLS - 1 - n)).toList());
		assertThat(length("HLEN", Key.ENDS)).isEqualTo(10);
	}

	@Test
	void withoutConsumersTheHistoryIsBoundedByAge() {
		this.store.keep(WEEK);
		for (int n = 1; n <= 100; n++) {
			this.partition.command("XADD", Key.HISTORY, n + "-0", "e", "old-" + n + "\0\0C\0000\0here\0");
			this.partition.command("HSET", Key.ENDS, "old-" + n, n + "-0");
		}
		for (int n = 0; n < CALLS; n++) {
			this.store.schedule("m-" + n, FAR, n);
			this.store.cancel("m-" + n, CALLS + n);
		}
		assertThat(this.store.ends()).hasSize(CALLS).noneMatch((ended) -> ended.id().startsWith("old"));
		assertThat(length("HLEN", Key.ENDS)).isEqualTo(CALLS);
	}

	@Test
	void aLaterEndOfAnIdOutlivesAnOlderOne() {
		this.store.keep(WEEK);
		this.partition.command("XADD", Key.HISTORY, "1-0", "e", "a\0\0C\0000\0here\0");
		this.store.acknowledge(taken());
		this.store.history().trim(this.store.partition());
		assertThat(this.store.ends()).hasSize(1);
		assertThat(find("a").map(MessageSnapshot::end).map(MessageEnd::how)).contains(How.ACKNOWLEDGED);
	}

	@Test
	void anAuditSaysWhetherThereIsAHistory() {
		assertThat(this.store.audit().remembers()).isFalse();
		this.store.keep(WEEK);
		assertThat(this.store.audit().remembers()).isTrue();
	}

	@Test
	void aNewEpochKeepsAHistoryToo() {
		this.store.keep(WEEK);
		assertThat(this.store.partitionControl().of(this.store.partition()).history()).isEqualTo(WEEK);
		try (TestPartition next = this.partition.ofEpoch(1)) {
			new EpochCalls(this.store.calls()).layOut(next.store().partition(), 1,
					this.store.partitionControl().of(this.store.partition()), List.of());
			assertThat(next.store().partitionControl().of(next.store().partition()).history()).isEqualTo(WEEK);
		}
	}

	@Test
	void anOlderEpochRemembersWhatItsHistoryHas() {
		this.store.keep(WEEK);
		this.store.acknowledge(taken());
		this.partition.command("DEL", Key.DONE);
		this.partition.command("HSET", Key.CONTROL, "closed", "1:4");
		EpochCalls epochs = new EpochCalls(this.store.calls());
		assertThat(epochs.remaining(this.store.partition()).end()).isEqualTo(EpochCalls.End.REMEMBERS);
		assertThat(this.store.known().find(this.store.candidate(TestMessages.key("a"))).elsewhere()).isTrue();
		assertThat(find("a")).isPresent();
		this.store.history().trim(this.store.partition(), 0);
		assertThat(find("a")).isEmpty();
		assertThat(epochs.remaining(this.store.partition()).end()).isEqualTo(EpochCalls.End.ENDED);
	}

	private long length(String command, Key key) {
		return Long.parseLong(this.partition.redis().text(command, this.partition.key(key)));
	}

}
