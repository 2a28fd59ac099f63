package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Leases.Found;
import io.delayqueue.store.Leases.Outcome;
import io.delayqueue.store.Leases.Reclaimed;
import io.delayqueue.store.Leases.Rules;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReclaimIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private static final Duration TOLERANCE = Duration.ofSeconds(30);

	private static final String SILENT = "61000";

	/**
	 * The time within which each process that holds messages reads the stored timeout,
	 * ms.
	 */
	private static final long NOTICE = 10_000;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void messagesOfASilentConsumerAreDueAgainAndCountOneCrash() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		Found found = this.store.reclaim();
		assertThat(found.outcome()).isEqualTo(Outcome.RECLAIMED);
		assertThat(found.messages()).containsExactly(new Reclaimed(new StoredId("a", null), 2, false));
		assertThat(found.more()).isFalse();
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.scheduled("a", found.nowMicros() / 1000)
			.failures("a", "2|2|0|7-0|it broke")
			.delivered(held.entry())
			.build());
	}

	@Test
	void atTheCrashLimitAMessageIsDeadLetteredWithTheReason() {
		Entry held = States.crashedTwice(States.pending("a")).prepare(this.partition).get(0);
		Found found = this.store.reclaim();
		assertThat(found.messages()).containsExactly(new Reclaimed(new StoredId("a", null), 3, true));
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.dead("a", found.nowMicros() / 1000)
			.failures("a", "0|3|0||it fell silent")
			.delivered(held.entry())
			.build());
	}

	@Test
	void aMessageThatDidNotRunAloneIsDueAgainHoweverOftenItCrashes() {
		States.scheduled("a", "b").prepare(this.partition);
		for (int crashes = 1; crashes <= TestStore.MAX_CRASHES + 1; crashes++) {
			this.store.take("holder");
			assertThat(this.store.reclaimBesideOthers().messages()).containsExactlyInAnyOrder(
					new Reclaimed(new StoredId("a", null), crashes, false),
					new Reclaimed(new StoredId("b", null), crashes, false));
		}
		Entry alone = this.store.take("holder").get(0);
		this.store.pending().isolate(this.store.partition(), "holder", alone.entry(), true);
		this.store.leases().renew(this.store.partition(), "holder", List.of(alone.entry()));
		assertThat(this.store.reclaimBesideOthers().messages()).filteredOn(Reclaimed::dead)
			.extracting(Reclaimed::id)
			.containsExactly(alone.id());
	}

	@Test
	void aMessageThatRanAloneBeforeOthersBeganIsDueAgain() {
		Entry held = States.crashedTwice(States.pending("a")).prepare(this.partition).get(0);
		this.store.pending().isolate(this.store.partition(), "holder", held.entry(), true);
		this.store.pending().isolate(this.store.partition(), "holder", held.entry(), false);
		assertThat(this.store.reclaimBesideOthers().messages())
			.containsExactly(new Reclaimed(new StoredId("a", null), 3, false));
	}

	@Test
	void onlyAConsumerThatIsSilentForTooLongLosesItsLease() {
		List<Entry> held = States.pending("a", "b").prepare(this.partition);
		silence(held.get(1));
		Found first = reclaim(0, Duration.ZERO);
		assertThat(first.outcome()).isEqualTo(Outcome.RECORDED);
		assertThat(first.messages()).isEmpty();
		assertThat(reclaim(first.nowMicros(), Duration.ZERO).messages())
			.containsExactly(new Reclaimed(new StoredId("b", null), 1, false));
		assertThat(this.partition.dump().entries()).containsOnlyKeys("a");
		assertThat(this.store.acknowledge(held.get(1))).containsExactly(Settled.SUPERSEDED);
		assertThat(this.store.acknowledge(held.get(0))).containsExactly(Settled.COUNTED);
	}

	@Test
	void theFirstCheckStoresTheVisibilityTimeoutWhichIsUsedFromThenOn() {
		silence(States.pending("a").prepare(this.partition).get(0));
		this.partition.command("HSET", Key.CONTROL, "visibility-timeout", "3600000");
		Found first = reclaim(0, Duration.ZERO);
		assertThat(first.visibilityTimeout()).isEqualTo(Duration.ofHours(1));
		assertThat(reclaim(first.nowMicros(), Duration.ZERO).messages()).isEmpty();
		this.partition.command("HDEL", Key.CONTROL, "visibility-timeout");
		assertThat(reclaim(0, Duration.ZERO).visibilityTimeout()).isEqualTo(TIMEOUT);
		assertThat(this.partition.dump().control()).containsEntry("visibility-timeout", "60000");
	}

	/** Until then living consumers may renew their leases by the longer one. */
	@Test
	void aShorterVisibilityTimeoutAppliesAfterTheLongerOneHasPassed() {
		silence(States.pending("a").prepare(this.partition).get(0), "30000");
		long last = reclaim(0, Duration.ZERO).nowMicros();
		store("10000");
		Found first = reclaim(last, Duration.ZERO);
		assertThat(first.messages()).isEmpty();
		assertThat(first.visibilityTimeout()).as("the timeout for renewals").isEqualTo(Duration.ofSeconds(10));
		assertThat(seen()).isEqualTo("10000|60000|" + (first.nowMicros() / 1000 + 60_000 + NOTICE));

		PartitionDump before = this.partition.dump();
		assertThat(reclaim(last, Duration.ZERO).messages()).isEmpty();
		assertThat(reclaim(0, Duration.ZERO).messages()).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(before);

		see("10000|60000|" + first.nowMicros() / 1000);
		assertThat(reclaim(last, Duration.ZERO).messages())
			.containsExactly(new Reclaimed(new StoredId("a", null), 1, false));
	}

	@Test
	void aLongerVisibilityTimeoutAppliesAtOnce() {
		silence(States.pending("a").prepare(this.partition).get(0));
		long last = reclaim(0, Duration.ZERO).nowMicros();
		store("3600000");
		assertThat(reclaim(last, Duration.ZERO).messages()).isEmpty();
		assertThat(seen()).isEqualTo("3600000|3600000|0");
	}

	@Test
	void theLongestVisibilityTimeoutAppliesWhileAProcessMayRenewByIt() {
		silence(States.pending("a").prepare(this.partition).get(0), "30000");
		long last = reclaim(0, Duration.ZERO).nowMicros();
		for (String next : List.of("20000", "10000", "25000", "10000")) {
			store(next);
			assertThat(reclaim(last, Duration.ZERO).messages()).isEmpty();
			assertThat(seen()).startsWith(next + "|60000|");
		}
	}

	@Test
	void aClockThatGoesBackDoesNotDelayAShorterVisibilityTimeoutForEver() {
		silence(States.pending("a").prepare(this.partition).get(0), "30000");
		long last = reclaim(0, Duration.ZERO).nowMicros();
		store("10000");
		see("10000|60000|" + (last / 1000 + 3_600_000));
		Found found = reclaim(last, Duration.ZERO);
		assertThat(found.messages()).isEmpty();
		assertThat(seen()).isEqualTo("10000|60000|" + (found.nowMicros() / 1000 + 60_000 + NOTICE));
	}

	@Test
	void aStoredVisibilityTimeoutAppliesWithoutAnEarlierCheck() {
		silence(States.pending("a").prepare(this.partition).get(0), "30000");
		store("20000");
		long last = reclaim(0, Duration.ZERO).nowMicros();
		assertThat(seen()).isEqualTo("20000|20000|0");
		this.partition.command("HDEL", Key.CONTROL, "visibility-timeout-seen");
		assertThat(reclaim(last, Duration.ZERO).messages())
			.containsExactly(new Reclaimed(new StoredId("a", null), 1, false));
		assertThat(seen()).isEqualTo("20000|20000|0");
	}

	@ParameterizedTest
	@ValueSource(strings = { "30s", "30", "-1", "43200001", "" })
	void anInvalidVisibilityTimeoutIsRefused(String text) {
		silence(States.pending("a").prepare(this.partition).get(0));
		store(text);
		PartitionDump before = this.partition.dump();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> reclaim(0, Duration.ZERO))
			.withMessageContaining("visibility-timeout " + text + " is stored")
			.withMessageContaining("1000 to 43200000");
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private void store(String visibilityTimeout) {
		this.partition.command("HSET", Key.CONTROL, "visibility-timeout", visibilityTimeout);
	}

	private void see(String timeouts) {
		this.partition.command("HSET", Key.CONTROL, "visibility-timeout-seen", timeouts);
	}

	private String seen() {
		return this.partition.dump().control().get("visibility-timeout-seen");
	}

	@Test
	void nothingIsReclaimedWhenTheClocksDisagree() {
		silence(States.pending("a").prepare(this.partition).get(0));
		long now = reclaim(0, Duration.ZERO).nowMicros();
		PartitionDump before = this.partition.dump();
		assertThat(reclaim(now, TOLERANCE.plusSeconds(30)).outcome()).isEqualTo(Outcome.JUMPED);
		assertThat(reclaim(now - 2 * TOLERANCE.toNanos() / 1000, Duration.ZERO).outcome()).isEqualTo(Outcome.JUMPED);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aCheckWithoutReclaimReportsSilentConsumers() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		long now = reclaim(0, Duration.ZERO).nowMicros();
		assertThat(check(now).outcome()).isEqualTo(Outcome.RECLAIMED);
		silence(held);
		PartitionDump before = this.partition.dump();
		assertThat(check(now)).satisfies((found) -> {
			assertThat(found.outcome()).isEqualTo(Outcome.SILENT);
			assertThat(found.messages()).isEmpty();
		});
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aDeadLetteredMessageIsNoLongerScheduled() {
		States.alsoScheduledFar(States.crashedTwice(States.pending("a"))).prepare(this.partition);
		assertThat(this.store.reclaim().messages()).containsExactly(new Reclaimed(new StoredId("a", null), 3, true));
		assertThat(this.partition.dump().locations("a")).containsExactly(Key.DEAD);
	}

	@Test
	void someMessagesAreReclaimedAtOnceAndMoreIsReported() {
		this.store.schedule(IntStream.range(0, 26)
			.mapToObj((i) -> TestMessages.message("id-" + i, DUE, i))
			.toArray(NewMessage[]::new));
		this.store.take("holder");
		assertThat(this.store.reclaim()).satisfies((found) -> {
			assertThat(found.messages()).hasSize(25);
			assertThat(found.more()).isTrue();
		});
		assertThat(this.store.reclaim().more()).isFalse();
		assertThat(this.partition.dump().stream().pending()).isEmpty();
	}

	@Test
	void damagedKeysDoNotBlockReclaiming() {
		States.pending("a", "b", "c").prepare(this.partition);
		this.partition.command("HSET", Key.FAILURES, "a", "no|failures");
		this.partition.command("HSET", Key.GROUPED, "b", "no group");
		this.partition.command("XADD", Key.READY, "*", "x", "y", "id", "c");
		this.store.read("holder");
		assertThat(this.store.reclaim().messages()).containsExactly(new Reclaimed(new StoredId("a", null), 1, false),
				new Reclaimed(new StoredId("b", null), 1, false), new Reclaimed(new StoredId("c", null), 1, false));
		assertThat(this.partition.dump().stream().pending()).isEmpty();
	}

	@Test
	void aMessageWithoutARecordIsReportedAsLost() {
		States.ghost(States.pending("a", "b")).prepare(this.partition);
		Found found = this.store.reclaim();
		assertThat(found.lost()).containsExactly(new StoredId("a", null));
		assertThat(found.messages()).containsExactly(new Reclaimed(new StoredId("b", null), 1, false));
		assertThat(this.store.reclaim().lost()).isEmpty();
	}

	@Test
	void deliveriesWithoutAMessageAreRemoved() {
		States.entryDeleted(States.pendingTwice()).prepare(this.partition);
		assertThat(this.store.reclaim().messages()).containsExactly(new Reclaimed(new StoredId("a", null), 1, false));
		assertThat(this.partition.dump().stream().entries()).isEmpty();
		assertThat(this.partition.dump().stream().pending()).isEmpty();
	}

	@Test
	void aSupersededSilentDeliveryDoesNotAffectTheCurrentOne() {
		List<Entry> held = States.pendingTwice().prepare(this.partition);
		silence(held.get(0));
		long now = reclaim(0, Duration.ZERO).nowMicros();
		assertThat(reclaim(now, Duration.ZERO).messages()).isEmpty();
		assertThat(this.partition.dump().stream().pending()).containsOnlyKeys(held.get(1).entry());
		assertThat(this.store.acknowledge(held.get(1))).containsExactly(Settled.COUNTED);
	}

	private void silence(Entry held) {
		silence(held, SILENT);
	}

	private void silence(Entry held, String millis) {
		this.partition.command("XCLAIM", Key.READY, KeySpace.GROUP, "holder", "0", held.entry(), "IDLE", millis,
				"JUSTID");
	}

	private Found reclaim(long lastMicros, Duration passed) {
		return this.store.leases().reclaim(this.store.partition(), rules(), false, lastMicros, passed);
	}

	private Found check(long lastMicros) {
		return this.store.leases().reclaim(this.store.partition(), rules(), true, lastMicros, Duration.ZERO);
	}

	private static Rules rules() {
		return new Rules(TIMEOUT, TestStore.MAX_CRASHES, "it fell silent", TOLERANCE, false, "");
	}

}
