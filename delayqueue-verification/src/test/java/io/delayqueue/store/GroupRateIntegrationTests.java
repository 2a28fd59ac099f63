package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A group with a rate limit: each delivery takes a token; without one the messages of the
 * group are parked until the next token.
 */
class GroupRateIntegrationTests extends RatedGroup {

	@Test
	void aGroupGetsItsBurstAndThenOneMessageATime() {
		schedule("g", 10);
		Swept swept = take(100);
		assertThat(ids(swept)).containsExactly("g-0", "g-1", "g-2");
		assertThat(this.partition.dump().groups().parked()).hasSize(7);
		assertNextTokenInAnHour(swept);

		assertThat(ids(take(100))).isEmpty();
		this.partition.passHours(1);
		assertThat(ids(take(100))).containsExactly("g-3");
		this.partition.passHours(2);
		assertThat(ids(take(100))).containsExactly("g-4", "g-5");
		assertThat(ids(take(100))).isEmpty();
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void noMoreTokensAreTakenThanMessagesAreHandedOver() {
		schedule("g", 10);
		assertThat(ids(take(1))).containsExactly("g-0");
		assertThat(ids(take(0))).isEmpty();
		assertThat(ids(take(5))).containsExactly("g-1", "g-2");
		this.partition.passHours(1);
		assertThat(ids(take(0))).isEmpty();
		assertThat(ids(take(5))).containsExactly("g-3");
	}

	@Test
	void aSweepThatDeliversNothingTakesNoTokenAfterASettlementThatCouldNotAcknowledge() {
		schedule("h", 2);
		schedule("g", 2);
		List<Entry> taken = take(2).read().entries();
		this.partition.command("XDEL", Key.READY, taken.get(0).entry());

		assertThat(take(0).moved()).isZero();
		assertThat(ids(take(2))).hasSize(2);
	}

	@Test
	void otherGroupsDoNotWait() {
		schedule("g", 100);
		IntStream.range(0, 10).forEach((i) -> schedule("h" + i, 1));
		List<String> taken = new ArrayList<>();
		IntStream.range(0, 10).forEach((i) -> taken.addAll(ids(take(100))));
		assertThat(taken).hasSize(13).filteredOn((id) -> id.startsWith("h")).hasSize(10);
	}

	@Test
	void aSettlementBringsNoMessageBackForWhichThereIsNoToken() {
		schedule("g", 10);
		List<Entry> taken = take(100).read().entries();
		this.rated.acknowledge(taken.toArray(Entry[]::new));
		assertThat(this.partition.dump().groups().parked()).hasSize(7);
		assertThat(this.partition.dump().scheduled()).isEmpty();
	}

	@Test
	void anotherDeliveryTakesAnotherToken() {
		schedule("g", 4);
		Entry first = take(1).read().entries().get(0);
		this.rated.release(DUE, first);
		assertThat(ids(take(100))).containsExactly("g-0", "g-1");
		this.partition.passHours(1);
		assertThat(ids(take(100))).containsExactly("g-2");
	}

	@Test
	void strictOrderIsKept() {
		TestStore strict = this.partition.store().with(rated(1));
		schedule("g", 6);
		List<String> handled = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			List<Entry> taken = take(strict, 100).read().entries();
			assertThat(taken).hasSizeLessThanOrEqualTo(1);
			taken.forEach((entry) -> handled.add(entry.id()));
			if (!taken.isEmpty()) {
				strict.acknowledge(taken.toArray(Entry[]::new));
			}
			if (i % 3 == 2) {
				this.partition.passHours(1);
			}
		}
		assertThat(handled).containsExactly("g-0", "g-1", "g-2", "g-3", "g-4", "g-5");
	}

	@Test
	void aMessageThatWaitsForItsRetryKeepsItsTurnWithoutAToken() {
		TestStore strict = this.partition.store().with(rated(1));
		schedule("g", 3);
		for (int i = 0; i < 3; i++) {
			Entry first = take(strict, 100).read().entries().get(0);
			assertThat(first.id()).isEqualTo("g-0");
			strict.release(DUE, first);
		}
		assertThat(ids(take(strict, 100))).isEmpty();
		this.partition.passHours(1);
		assertThat(take(strict, 100).nextDueMillis()).isEqualTo(DUE);
		assertThat(ids(take(strict, 100))).containsExactly("g-0");
	}

	@Test
	void anExpiredMessageTakesNoToken() {
		schedule("g", 3);
		this.partition.command("ZADD", Key.EXPIRIES, Long.toString(DUE), "g-0");
		this.partition.command("ZADD", Key.EXPIRIES, Long.toString(DUE), "g-1");
		schedule("g", 3, 5);
		assertThat(ids(take(100))).containsExactly("g-0", "g-1", "g-2", "g-3", "g-4");
	}

	@Test
	void aGroupMayHaveALimitOfItsOwn() {
		TestStore own = this.partition.store()
			.with(new GroupSettings(0, false, false, 0, 100, null,
					Map.of("g", new GroupOverride(1, null, new RateLimit(1, Duration.ofHours(1), 2), false))));
		schedule("g", 5);
		schedule("h", 5);
		assertThat(ids(take(own, 100))).hasSize(7).contains("g-0", "g-1", "h-4");
	}

	@Test
	void aFullBucketLeavesNothing() {
		schedule("g", 1);
		take(100);
		schedule("h", 4);
		take(100);
		assertThat(exists(Key.RATES)).isTrue();
		assertThat(exists(Key.THROTTLED)).isTrue();
		this.partition.passHours(10);
		take(100);
		assertThat(exists(Key.THROTTLED)).isFalse();
		assertThat(this.partition.dump().groups().parked()).isEmpty();
		assertThat((String) this.partition.redis()
			.call("EVAL", "return redis.call('HGET', KEYS[1], 'throttled') or ''", "1",
					this.partition.key(Key.CONTROL)))
			.isEmpty();
		this.partition.passHours(10);
		take(100);
		assertThat(exists(Key.RATES)).isFalse();
	}

	@Test
	void withoutTheLimitParkedMessagesGoOn() {
		schedule("g", 10);
		assertThat(take(100).read().entries()).hasSize(3);
		TestStore free = this.partition.store();
		List<String> taken = new ArrayList<>();
		IntStream.range(0, 3).forEach((i) -> taken.addAll(ids(take(free, 100))));
		assertThat(taken).hasSize(7);
	}

	@Test
	void withoutTheLimitASettlementBringsTheNextMessageOfAStrictGroup() {
		schedule("g", 10);
		TestStore strict = this.partition.store().with(rated(1));
		for (int i = 0; i < 3; i++) {
			strict.acknowledge(take(strict, 100).read().entries().get(0));
		}
		take(strict, 100);
		TestStore free = this.partition.store().with(new GroupSettings(0, false, false, 1, 100, null, Map.of()));
		free.acknowledge(take(free, 100).read().entries().get(0));
		assertThat(take(free, 100).nextDueMillis()).isLessThanOrEqualTo(this.partition.now());
		take(free, 100);

		for (int i = 4; i < 10; i++) {
			Entry next = take(free, 100).read().entries().get(0);
			assertThat(next.id()).isEqualTo("g-" + i);
			free.acknowledge(next);
		}
	}

	@Test
	void withoutTheLimitOfSomeGroupsTheyGoOnAtOnce() {
		GroupSettings one = new GroupSettings(0, false, false, 0, 100, null,
				Map.of("kept", new GroupOverride(1, null, THREE_THEN_ONE_AN_HOUR, false)));
		IntStream.range(0, 50).forEach((i) -> schedule("g" + i, 4));
		schedule("kept", 4);
		IntStream.range(0, 5).forEach((i) -> take(1000));
		assertThat(this.partition.dump().groups().parked()).hasSize(51);
		TestStore left = this.partition.store().with(one);

		List<String> taken = new ArrayList<>();
		IntStream.range(0, 3).forEach((i) -> taken.addAll(ids(take(left, 100))));

		assertThat(taken).hasSize(50).doesNotContain("kept-3");
		assertThat(this.partition.dump().groups().parked()).hasSize(1);
	}

	@Test
	void groupsWhoseParkedMessagesWerePurgedDelayNoOtherGroup() {
		String[] purged = IntStream.range(0, 99).mapToObj((i) -> "g" + i + "-3").toArray(String[]::new);
		IntStream.range(0, 99).forEach((i) -> schedule("g" + i, 4));
		while (this.partition.dump().groups().parked().size() < purged.length) {
			take(1000);
		}
		this.rated.purge(false, purged);
		schedule("z", 4, 8);
		take(1000);
		this.partition.passHours(2);

		assertThat(ids(take(25))).containsExactly("z-7");
	}

	private boolean exists(Key key) {
		return Long.valueOf(1).equals(this.partition.redis().call("EXISTS", this.partition.key(key)));
	}

}
