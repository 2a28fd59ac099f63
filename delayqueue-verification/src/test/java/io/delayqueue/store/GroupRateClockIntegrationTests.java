package io.delayqueue.store;

import java.util.stream.IntStream;

import io.delayqueue.store.DueMessages.Swept;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A group with a rate limit after the clock of Redis has gone back.
 */
class GroupRateClockIntegrationTests extends RatedGroup {

	@Test
	void afterTheClockOfRedisHasGoneBackABucketIsAtMostEmpty() {
		schedule("g", 4);
		take(100);
		this.partition.passHours(-1000);
		schedule("g", 4, 5);
		Swept swept = take(100);
		assertThat(ids(swept)).isEmpty();
		assertNextTokenInAnHour(swept);
	}

	@Test
	void afterTheClockOfRedisHasGoneBackParkedMessagesGoOn() {
		IntStream.range(0, 20).forEach((i) -> schedule("g" + i, 4));
		take(100);
		assertThat(this.partition.dump().groups().parked()).hasSize(20);
		this.partition.passHours(-1000);

		Swept swept = take(100);
		for (int i = 0; i < 10 && swept.nextDueMillis() <= this.partition.now(); i++) {
			swept = take(100);
		}

		assertThat(ids(swept)).isEmpty();
		assertNextTokenInAnHour(swept);
		this.partition.passHours(1);
		assertThat(ids(take(100))).hasSize(20);
	}

	@Test
	void afterTheClockOfRedisHasGoneBackAHeldGroupIsHeldUntilItsEnd() {
		new Holds(this.rated.calls()).hold(this.rated.partition(), States.hold("held", States.FAR));
		schedule("held", 4);
		schedule("g", 4);
		take(100);
		this.partition.command("ZADD", Key.THROTTLED, Long.toString(States.FAR - 1), "g");

		IntStream.range(0, 3).forEach((i) -> take(100));

		assertThat(this.partition.redis()
			.call("EVAL", "return redis.call('ZSCORE', KEYS[1], 'held')", "1", this.partition.key(Key.THROTTLED)))
			.isEqualTo(Long.toString(States.FAR));
		this.partition.passHours(1);
		assertThat(ids(take(100))).containsExactly("g-3");
	}

}
