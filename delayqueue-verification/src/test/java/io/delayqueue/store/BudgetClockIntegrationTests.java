package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.store.Budgets.Demand;
import io.delayqueue.store.Budgets.Grant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The budget of a queue while time passes: readers that come back when they are told to
 * get the whole rate and never more than it, and share the permits; the clock of Redis
 * goes back; readers are silent, return tokens, or have different limits.
 */
@Tag("slow")
class BudgetClockIntegrationTests {

	private static final FlowSettings RATED = new FlowSettings(new RateLimit(10, Duration.ofSeconds(10), 2), 0);

	private static final FlowSettings CAPPED = new FlowSettings(null, 2);

	private static final Duration LEASE = Duration.ofMinutes(1);

	/** The time for which a reader keeps its permits while others wait. */
	private static final Duration SLICE = Duration.ofMillis(100);

	private static final String IN_AN_HOUR = "redis.call('TIME')[1] + 3600";

	/** The script with the time as its last two arguments. */
	private static final String AT_A_TIME = ScriptText.of(StoreScript.GRANT)
		.text()
		.replace("redis.call('TIME')", "{ARGV[12], ARGV[13]}");

	private static final long FIRST_MICROS = 1_790_000_000_000_000L;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final Budgets budgets = new Budgets(this.partition.store().calls());

	@Test
	void aBucketIsAtMostEmptyAndAReaderComesBackForTheNextToken() {
		ask(RATED, "r/0", 1, 0, "");
		set("return redis.call('HSET', KEYS[1], 'full-at', (" + IN_AN_HOUR + ") .. '000000', 'turn', (" + IN_AN_HOUR
				+ ") .. '000000')");

		Grant none = ask(RATED, "r/0", 2, 5, "");

		assertThat(none.messages()).isZero();
		assertThat(Duration.ofNanos(none.waitNanos())).isBetween(Duration.ofMillis(1), Duration.ofMillis(1_100));
		Grant another = ask(RATED, "s/0", 1, 5, "");
		assertThat(askAgainMicros(another) - askAgainMicros(none)).as("the next turn").isEqualTo(1_000_000);
	}

	private static long askAgainMicros(Grant grant) {
		return grant.nowMicros() + grant.waitNanos() / 1000;
	}

	/**
	 * Each reader wants ten messages, reads them at some time of the validity of its
	 * grant, and asks again 0.7 ms after the grant, or when it is told to.
	 */
	@ParameterizedTest
	@CsvSource({ "1, 1000, 1", "2, 1000, 1", "10, 1000, 1", "500, 1000, 1", "500, 1000, 10", "500, 1000, 50",
			"1000, 1000, 20", "1000, 1000, 1", "5000, 1000, 1", "10, 100, 1", "100, 100, 10", "100, 100, 1",
			"100, 60000, 10", "10, 3600000, 10" })
	void readersWithABacklogGetTheRateForEveryBurst(int messages, long perMillis, int burst) {
		for (int readers : new int[] { 1, 12 }) {
			RateLimit rate = new RateLimit(messages, Duration.ofMillis(perMillis), burst);
			List<Long> reads = new ArrayList<>();
			this.partition.command("DEL", Key.BUDGET);
			long micros = simulate(rate, readers, 400, 0, reads);
			double expected = (double) micros / rate.per().toNanos() * 1000 * messages;
			assertThat((double) reads.size()).as(readers + " readers").isGreaterThanOrEqualTo(0.95 * expected - 1);
			assertNoneTooMany(rate, reads);
		}
	}

	/** A slow connection makes the rate lower, if its burst is small, but not zero. */
	@ParameterizedTest
	@CsvSource({ "50, 1000, 50, 70, 0.7", "50, 1000, 1, 40, 0.6", "50, 1000, 1, 70, 0.5", "10, 100, 1, 40, 0.3",
			"12, 1000, 12, 350, 0.5", "12, 1000, 1, 350, 0.3", "1, 1000, 1, 350, 0.3", "10, 60000, 1, 350, 0.3" })
	void readersOverASlowConnectionGetMessages(int messages, long perMillis, int burst, long roundTripMillis,
			double part) {
		for (int readers : new int[] { 1, 12 }) {
			RateLimit rate = new RateLimit(messages, Duration.ofMillis(perMillis), burst);
			List<Long> reads = new ArrayList<>();
			this.partition.command("DEL", Key.BUDGET);
			long micros = simulate(rate, readers, 600, 1000 * roundTripMillis, reads);
			double expected = (double) micros / rate.per().toNanos() * 1000 * messages;
			assertThat((double) reads.size()).as(readers + " readers").isGreaterThanOrEqualTo(part * expected - 1);
			assertNoneTooMany(rate, reads);
		}
	}

	@ParameterizedTest
	@CsvSource({ "100, 1000, 100", "100, 1000, 50", "1000, 1000, 1000", "100, 1000, 10", "100, 1000, 1",
			"10, 60000, 10" })
	void grantsThatBecomeShorterAgainBringNoTokens(int messages, long perMillis, int burst) {
		this.partition.command("DEL", Key.BUDGET);
		this.partition.command("HSET", Key.BUDGET, "validity",
				"800000|" + (FIRST_MICROS - 4_999_900) + "|0|0|0|5000000");
		String rate = messages + "|" + perMillis + "|" + burst;

		askAt(FIRST_MICROS, new Turn(1, FIRST_MICROS, 0, 0), 1, 10_000, rate);
		List<?> again = askAt(FIRST_MICROS + 200, new Turn(2, FIRST_MICROS + 200, 0, 0), 2, 10_000, rate);

		assertThat(validity()).startsWith("400000|");
		assertThat((Long) again.get(2)).isZero();
	}

	@Test
	void aReaderThatIsLateCountsOnceWhileItWaits() {
		this.partition.command("DEL", Key.BUDGET);
		FlowSettings one = new FlowSettings(null, 1);
		ask(one, "r/0", 1, 1, "");
		this.budgets.ask("orders", new Demand("r/0", 2, 0, 0, 0, "", 1), one, LEASE);
		ask(one, "other/0", 1, 1, "");
		for (int call = 3; call < 12; call++) {
			pass(Duration.ofSeconds(1));
			assertThat(this.budgets.ask("orders", new Demand("r/0", call, 0, 0, 1, "", 1), one, LEASE).messages())
				.isZero();
		}
		assertThat(validity()).startsWith("50000|");
	}

	private String validity() {
		return (String) this.partition.redis().call("HGET", this.partition.key(Key.BUDGET), "validity");
	}

	private static void assertNoneTooMany(RateLimit rate, List<Long> reads) {
		reads.sort(null);
		int most = rate.messages() + rate.burst();
		for (int n = most; n < reads.size(); n++) {
			assertThat(reads.get(n) - reads.get(n - most)).as("us for one more than allowed")
				.isGreaterThan(rate.per().toNanos() / 1000);
		}
	}

	/**
	 * Lets readers ask and read.
	 * @param reads receives the times of all reads
	 * @return how much time has passed, us
	 */
	private long simulate(RateLimit rate, int readers, int calls, long roundTripMicros, List<Long> reads) {
		String text = rate.messages() + "|" + rate.per().toMillis() + "|" + rate.burst();
		Random random = new Random(7);
		PriorityQueue<Turn> turns = new PriorityQueue<>(Comparator.comparing(Turn::micros));
		IntStream.range(0, readers).forEach((reader) -> turns.add(new Turn(reader, FIRST_MICROS, 0, 0)));
		long now = FIRST_MICROS;
		for (int call = 1; call <= calls; call++) {
			Turn turn = turns.remove();
			now = Math.max(now + 200, turn.micros());
			List<?> grant = askAt(now, turn, call, 10, text);
			long left = (Long) grant.get(3) - roundTripMicros;
			for (long n = (Long) grant.get(2); n > 0 && left >= 0; n--) {
				reads.add(now + roundTripMicros + random.nextLong(left + 1));
			}
			long unused = (left < 0) ? (Long) grant.get(2) : 0;
			int lateReads = ((Long) grant.get(2) == 0) ? turn.lateReads() : (left < 0) ? turn.lateReads() + 1 : 0;
			turns.add(new Turn(turn.reader(),
					now + Math.max(700 + 2 * roundTripMicros, Math.min(1_000_000, (Long) grant.get(4))), unused,
					lateReads));
		}
		return now - FIRST_MICROS;
	}

	private List<?> askAt(long micros, Turn turn, int call, int wanted, String rate) {
		return (List<?>) this.partition.redis()
			.call("EVAL", AT_A_TIME, "2", this.partition.key(Key.BUDGET), this.partition.key(Key.PERMITS),
					turn.reader() + "/0", "" + call, "0", "" + turn.unused(), "" + wanted, rate, "0", "50", "60000", "",
					"" + turn.lateReads(), "" + micros / 1_000_000, "" + micros % 1_000_000);
	}

	/**
	 * When a reader asks.
	 *
	 * @param reader the number of the reader
	 * @param micros the time, us
	 * @param unused the tokens with which it has just read too late
	 * @param lateReads how many reads in a row were too late
	 */
	private record Turn(int reader, long micros, long unused, int lateReads) {
	}

	@Test
	void aQueueIsNotThrottledByARateThatWasCleared() {
		RateLimit rare = new RateLimit(1, Duration.ofHours(1), 1);
		this.budgets.rate("orders", rare);
		ask(FlowSettings.NONE, "r/0", 1, 1, "");
		Grant none = ask(FlowSettings.NONE, "r/0", 2, 1, "");
		assertThat(none.messages()).isZero();
		assertThat(this.budgets.isThrottled("orders", 0, none.nowMicros())).isTrue();

		this.budgets.rate("orders", null);

		assertThat(this.budgets.isThrottled("orders", 0, none.nowMicros())).isFalse();
	}

	@Test
	void aReaderWhoseGrantEndedTooEarlyGetsALongerOneForMoreTokens() {
		FlowSettings often = new FlowSettings(new RateLimit(100, Duration.ofMillis(100), 1), 0);
		assertThat(ask(often, "r/0", 1, 1, "").validNanos()).isLessThan(Duration.ofMillis(3).toNanos());
		pass(Duration.ofSeconds(1));

		Grant grant = this.budgets.ask("orders", new Demand("r/0", 2, 0, 1, 1, "", 1), often, LEASE);

		assertThat(grant.validNanos()).isEqualTo(Budgets.VALIDITY.toNanos());
		assertThat(fullAt() - grant.nowMicros()).as("us until the bucket is full").isGreaterThan(45_000);
	}

	@Test
	void aReaderUsesItsPermitsAgainUntilItGivesWayToAnotherThatWaits() {
		assertThat(ask(CAPPED, "r/0", 1, 2, "").messages()).isEqualTo(2);
		assertThat(ask(CAPPED, "s/0", 1, 2, "").messages()).isZero();
		pass(SLICE);

		Grant givesWay = ask(CAPPED, "r/0", 2, 2, "");

		assertThat(givesWay.messages()).isZero();
		assertThat(givesWay.waiting()).isEqualTo("s/0");
		assertThat(givesWay.waitNanos()).isPositive();
		assertThat(ask(CAPPED, "s/0", 2, 2, "").messages()).isEqualTo(2);
		pass(SLICE);
		assertThat(ask(CAPPED, "s/0", 3, 1, "").waiting()).as("the reader that has given way waits").isEqualTo("r/0");
	}

	@Test
	void aReaderThatHasGivenWayToAReaderThatDoesNotComeGetsThePermits() {
		ask(CAPPED, "r/0", 1, 2, "");
		ask(CAPPED, "dead/0", 1, 2, "");
		pass(SLICE);
		assertThat(ask(CAPPED, "r/0", 2, 2, "").messages()).isZero();

		assertThat(ask(CAPPED, "r/0", 3, 2, "").messages()).isEqualTo(2);
	}

	@Test
	void readersWaitForPermitsInALine() {
		ask(CAPPED, "r/0", 1, 2, "");
		ask(CAPPED, "s/0", 1, 1, "");
		ask(CAPPED, "t/0", 1, 1, "");
		ask(CAPPED, "s/0", 2, 1, "");

		assertThat(ask(CAPPED, "r/0", 2, 0, "").waiting()).isEqualTo("s/0");
		assertThat(ask(CAPPED, "s/0", 3, 1, "").waiting()).as("one permit is left").isEqualTo("t/0");
		assertThat(ask(CAPPED, "t/0", 2, 1, "").messages()).isEqualTo(1);
	}

	@Test
	void thePermitsOfAReaderThatHasDiedAreFreeAfterItsLease() {
		assertThat(ask(CAPPED, "dead/0", 1, 2, "").messages()).isEqualTo(2);
		set("return redis.call('ZADD', KEYS[2], (" + IN_AN_HOUR + ") .. '000', 'dead/0')");

		assertThat(ask(CAPPED, "r/0", 1, 2, "").messages()).isZero();

		Number end = (Number) set("return redis.call('ZSCORE', KEYS[2], 'dead/0') - redis.call('TIME')[1] * 1000");
		assertThat(end.longValue()).isBetween(1L, LEASE.toMillis() + 1000);
		set("return redis.call('ZADD', KEYS[2], 1, 'dead/0')");
		String silent = ask(CAPPED, "r/0", 2, 2, "").silent();
		assertThat(ask(CAPPED, "r/0", 3, 2, silent).messages()).isEqualTo(2);
	}

	@Test
	void aReaderThatHasAskedSinceItWasSilentKeepsItsPermits() {
		ask(CAPPED, "slow/0", 1, 2, "");
		endLease("slow/0");
		String silent = ask(CAPPED, "r/0", 1, 2, "").silent();
		assertThat(ask(CAPPED, "slow/0", 2, 2, "").messages()).isEqualTo(2);
		endLease("slow/0");

		Grant denied = ask(CAPPED, "r/0", 2, 2, silent);

		assertThat(denied.messages()).isZero();
		assertThat(ask(CAPPED, "r/0", 3, 2, denied.silent()).messages()).isEqualTo(2);
	}

	@Test
	void aReaderWithoutMaxInFlightKeepsTheCountOfOtherReaders() {
		assertThat(ask(CAPPED, "r/0", 1, 2, "").messages()).isEqualTo(2);

		ask(RATED, "rated/0", 1, 1, "");

		assertThat(ask(CAPPED, "s/0", 1, 2, "").messages()).isZero();
	}

	/**
	 * While a grant is in use, the bucket fills up again; tokens of it that are returned
	 * later must not come on top.
	 */
	@Test
	void tokensThatAreReturnedAfterTheEndOfTheirGrantAreNotCredited() {
		FlowSettings slow = new FlowSettings(new RateLimit(10, Duration.ofHours(1), 10), 0);
		assertThat(ask(slow, "frozen/0", 1, 5, "").messages()).isEqualTo(5);
		pass(Duration.ofHours(1));

		int used = ask(slow, "r/0", 1, 10, "").messages();
		give(slow, "frozen/0", 2, 5, 0);

		assertThat(used + ask(slow, "r/0", 2, 10, "").messages()).isEqualTo(used);
	}

	@Test
	void tokensThatAreReturnedInTimeAreCredited() {
		FlowSettings slow = new FlowSettings(new RateLimit(10, Duration.ofHours(1), 10), 0);
		int all = ask(slow, "r/0", 1, 10, "").messages();

		give(slow, "r/0", 2, all, 0);

		assertThat(ask(slow, "s/0", 1, 10, "").messages()).isEqualTo(all);
	}

	private void give(FlowSettings settings, String reader, int call, int unused, int wanted) {
		this.budgets.ask("orders", new Demand(reader, call, 0, unused, wanted, "", 0), settings, LEASE);
	}

	/**
	 * While a reader has the tokens of its grant, the bucket gets no tokens that it would
	 * not have got without the grant.
	 */
	@Test
	void tokensThatAreReturnedDoNotComeOnTopOfWhatTheBucketGotInTheirPlace() {
		FlowSettings hundredASecond = new FlowSettings(new RateLimit(10_000, Duration.ofSeconds(100), 10_000), 0);
		assertThat(ask(hundredASecond, "paused/0", 1, 5000, "").messages()).isEqualTo(5000);
		pass(Duration.ofMillis(200));
		assertThat(ask(hundredASecond, "r/0", 1, 1000, "").messages()).isEqualTo(1000);

		give(hundredASecond, "paused/0", 2, 5000, 1);

		Object missing = set("return redis.call('HGET', KEYS[1], 'full-at')"
				+ " - string.match(redis.call('HGET', KEYS[1], 'r:r/0'), '(%d+)|%d+$')");
		assertThat(missing).as("us that the bucket needs for the 1,000 tokens of the other reader and one more")
			.isEqualTo(10_010_000L);
	}

	@Test
	void tokensThatAreReturnedAfterTheBucketWasFullAreNotCredited() {
		FlowSettings slow = new FlowSettings(new RateLimit(10, Duration.ofHours(1), 10), 0);
		assertThat(ask(slow, "other/0", 1, 4, "").messages()).isEqualTo(4);
		assertThat(ask(slow, "late/0", 1, 5, "").messages()).isEqualTo(5);
		give(slow, "other/0", 2, 4, 0);
		pass(Duration.ofMinutes(30));
		assertThat(ask(slow, "r/0", 1, 10, "").messages()).as("the bucket is full").isEqualTo(10);

		give(slow, "late/0", 2, 5, 0);

		assertThat(ask(slow, "r/0", 2, 1, "").messages()).isZero();
	}

	@Test
	void theSameNewTokensReplaceTheReturnedTokensOfOneGrantOnly() {
		FlowSettings slow = new FlowSettings(new RateLimit(10, Duration.ofHours(1), 10), 0);
		assertThat(ask(slow, "one/0", 1, 5, "").messages()).isEqualTo(5);
		assertThat(ask(slow, "two/0", 1, 5, "").messages()).isEqualTo(5);
		pass(Duration.ofMinutes(27));
		assertThat(ask(slow, "r/0", 1, 10, "").messages()).isEqualTo(4);

		give(slow, "one/0", 2, 5, 0);
		give(slow, "two/0", 2, 5, 0);

		Object missing = set("return redis.call('HGET', KEYS[1], 'full-at') - redis.call('TIME')[1] * 1000000");
		assertThat((Long) missing).as("us that the bucket needs for the 4 tokens that were used")
			.isCloseTo(Duration.ofMinutes(24).toNanos() / 1000, within(60_000_000L));
	}

	@Test
	void tokensThatAreReturnedCountWhollyWhileTheUsedOnesAreMissingInTheBucket() {
		FlowSettings hundredASecond = new FlowSettings(new RateLimit(10_000, Duration.ofSeconds(100), 10_000), 0);
		assertThat(ask(hundredASecond, "r/0", 1, 9000, "").messages()).isEqualTo(9000);
		long full = fullAt();
		pass(Duration.ofMillis(200));

		give(hundredASecond, "r/0", 2, 5000, 1000);

		assertThat(fullAt()).as("9,000 were granted, 5,000 returned, 1,000 granted")
			.isEqualTo(full - 200_000 - 40_000_000);
	}

	@Test
	void tokensThatAreReturnedAfterNewTokensHaveReplacedOthersAreNotCredited() {
		FlowSettings oneASecond = new FlowSettings(new RateLimit(100, Duration.ofSeconds(100), 100), 0);
		ask(oneASecond, "first/0", 1, 10, "");
		pass(Duration.ofSeconds(7));
		ask(oneASecond, "second/0", 1, 2, "");
		pass(Duration.ofMillis(1));
		ask(oneASecond, "third/0", 1, 20, "");
		pass(Duration.ofSeconds(15));
		ask(oneASecond, "fourth/0", 1, 30, "");
		pass(Duration.ofMillis(100));
		give(oneASecond, "third/0", 2, 20, 0);
		long full = fullAt();

		give(oneASecond, "first/0", 2, 10, 0);

		assertThat(fullAt()).isEqualTo(full);
	}

	private long fullAt() {
		return Long.parseLong(String.valueOf(set("return redis.call('HGET', KEYS[1], 'full-at')")));
	}

	/** Shows the budget to Redis as if time had passed. */
	private void pass(Duration time) {
		set("local past = " + time.toNanos() / 1000
				+ """

						local function earlier(at)
						  return string.format('%.0f', math.max(0, at - past))
						end
						local all = redis.call('HGETALL', KEYS[1])
						for i = 1, #all, 2 do
						  local changed
						  if all[i] == 'full-at' or all[i] == 'turn' then
						    changed = earlier(all[i + 1])
						  elseif all[i] == 'lows' then
						    changed = string.gsub(all[i + 1], '(%d+)|(%d+)', function(at, low) return earlier(at) .. '|' .. low end)
						  elseif all[i] == 'validity' then
						    changed = string.gsub(all[i + 1], '^(%d+)|(%d+)', function(valid, at) return valid .. '|' .. earlier(at) end)
						  elseif string.sub(all[i], 1, 2) == 'r:' then
						    changed = string.gsub(all[i + 1], '(%d+)|(%d+)$', function(at, since)
						      return earlier(at) .. '|' .. earlier(since)
						    end)
						  end
						  if changed then
						    redis.call('HSET', KEYS[1], all[i], changed)
						  end
						end""");
	}

	private void endLease(String reader) {
		this.partition.command("ZADD", Key.PERMITS, "1", reader);
	}

	private Grant ask(FlowSettings settings, String reader, int call, int wanted, String gone) {
		return this.budgets.ask("orders", new Demand(reader, call, 0, 0, wanted, gone, 0), settings, LEASE);
	}

	private Object set(String script) {
		return this.partition.redis()
			.call("EVAL", script, "2", this.partition.key(Key.BUDGET), this.partition.key(Key.PERMITS));
	}

}
