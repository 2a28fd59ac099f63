package io.delayqueue.store;

import java.time.Duration;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.store.Budgets.Demand;
import io.delayqueue.store.Budgets.Grant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The budget of a queue after the clock of Redis has gone back, when stored times are in
 * the future, after both a reader and the one that checks it were silent, and with
 * readers that have different limits.
 */
class BudgetClockIntegrationTests {

	private static final FlowSettings RATED = new FlowSettings(new RateLimit(10, Duration.ofSeconds(10), 2), 0);

	private static final FlowSettings CAPPED = new FlowSettings(null, 2);

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final String IN_AN_HOUR = "redis.call('TIME')[1] + 3600";

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
		assertThat(none.retryAtMillis() - none.nowMicros() / 1000).isBetween(1L, 1_100L);
		Grant another = ask(RATED, "s/0", 1, 5, "");
		assertThat(another.retryAtMillis() - none.retryAtMillis()).as("the next turn").isBetween(900L, 1_100L);
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
		this.budgets.ask("orders", new Demand(reader, call, 0, unused, wanted, ""), settings, LEASE);
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
				+ " - string.match(redis.call('HGET', KEYS[1], 'r:r/0'), '(%d+)|0$')");
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
		assertThat(ask(slow, "r/0", 1, 10, "").messages()).as("the bucket is full").isEqualTo(9);

		give(slow, "late/0", 2, 5, 0);

		assertThat(ask(slow, "r/0", 2, 1, "").messages()).isZero();
	}

	@Test
	void theSameNewTokensReplaceTheReturnedTokensOfOneGrantOnly() {
		FlowSettings slow = new FlowSettings(new RateLimit(10, Duration.ofHours(1), 10), 0);
		assertThat(ask(slow, "one/0", 1, 5, "").messages()).isEqualTo(5);
		assertThat(ask(slow, "two/0", 1, 4, "").messages()).isEqualTo(4);
		pass(Duration.ofMinutes(24));
		assertThat(ask(slow, "r/0", 1, 10, "").messages()).isEqualTo(4);

		give(slow, "one/0", 2, 5, 0);
		give(slow, "two/0", 2, 4, 0);

		assertThat(ask(slow, "r/0", 2, 10, "").messages()).as("9 without the 4 that were used").isEqualTo(5);
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
						  return string.format('%.0f', at - past)
						end
						local all = redis.call('HGETALL', KEYS[1])
						for i = 1, #all, 2 do
						  local changed
						  if all[i] == 'full-at' then
						    changed = earlier(all[i + 1])
						  elseif all[i] == 'lows' then
						    changed = string.gsub(all[i + 1], '(%d+)|(%d+)', function(at, low) return earlier(at) .. '|' .. low end)
						  elseif string.sub(all[i], 1, 2) == 'r:' then
						    changed = string.gsub(all[i + 1], '(%d+)|0$', function(at) return earlier(at) .. '|0' end)
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
		return this.budgets.ask("orders", new Demand(reader, call, 0, 0, wanted, gone), settings, LEASE);
	}

	private Object set(String script) {
		return this.partition.redis()
			.call("EVAL", script, "2", this.partition.key(Key.BUDGET), this.partition.key(Key.PERMITS));
	}

}
