package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.test.fault.CountingScripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages of a held group are parked until the end of the hold, and nothing else waits
 * for them.
 */
class HeldGroupIntegrationTests extends OrderedGroup {

	/** Commands of a sweep that moves nothing while a message is ready. */
	private static final long FREE_SWEEP = 12;

	/** Commands of the first read of a message, which creates the consumer group. */
	private static final long FREE_READ = 10;

	private final TestStore store = this.partition.store();

	private final Holds holds = new Holds(this.store.calls());

	@Test
	void dueMessagesOfAHeldGroupAreParkedAndOthersAreMoved() {
		hold();
		IntStream.range(0, 60).forEach((i) -> this.store.schedule(TestMessages.message("g-" + i, DUE, GROUP, i)));
		this.store.schedule(TestMessages.message("h", DUE + 1, "h", 100));
		this.store.schedule("n", DUE + 2, 101);
		List<String> taken = new ArrayList<>();

		Swept swept = take(100);
		taken.addAll(ids(swept));
		assertThat(swept.heldMillis()).isEqualTo(FAR);
		for (int i = 0; i < 5; i++) {
			swept = take(100);
			taken.addAll(ids(swept));
		}

		assertThat(taken).containsExactlyInAnyOrder("h", "n");
		assertThat(swept.nextDueMillis()).isEqualTo(FAR);
		assertThat(this.partition.dump().groups().parked()).hasSize(60);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void atTheEndOfTheHoldParkedMessagesGoOn() {
		hold();
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		assertThat(ids(take(100))).isEmpty();

		passTime();

		assertThat(ids(take(100))).containsExactly("a", "b", "c");
		take(100);
		assertThat(this.partition.dump().holds()).isEmpty();
		assertThat(this.partition.dump().control()).doesNotContainKeys("holds", "throttled");
	}

	@Test
	void aHoldThatWasMadeLongerMeanwhileGoesOn() {
		hold();
		schedule("a", DUE);
		take(100);
		this.partition.command("ZADD", Key.THROTTLED, "1", GROUP);

		Swept swept = take(100);

		assertThat(ids(swept)).isEmpty();
		assertThat(swept.nextDueMillis()).isEqualTo(FAR);
	}

	@Test
	void afterAReleaseParkedMessagesGoOn() {
		hold();
		schedule("a", DUE, "b", DUE + 1);
		take(100);

		this.holds.end(this.store.partition(), GROUP);

		assertThat(ids(take(100))).containsExactly("a", "b");
	}

	@Test
	void afterAReleaseOfAllParkedMessagesGoOn() {
		hold();
		this.holds.hold(this.store.partition(), States.hold(null, FAR));
		schedule("a", DUE, "b", DUE + 1);
		assertThat(take(100).parked()).isZero();
		this.holds.endAll(this.store.partition());

		assertThat(ids(take(100))).containsExactly("a", "b");
	}

	@Test
	void readyMessagesOfAHeldGroupAreMarked() {
		schedule("a", DUE);
		this.store.schedule("n", DUE + 1, 101);
		this.store.sweep();
		hold();

		List<Entry> read = this.store.read("holder");

		assertThat(read).extracting(Entry::special).containsExactly(Special.HELD, Special.NONE);
		this.store.release(DUE, read.get(0));
		assertThat(ids(take(100))).isEmpty();
		assertThat(this.partition.dump().groups().parked()).hasSize(1);
		assertThat(this.partition.dump().groups().active()).as("it has lost its slot").isEmpty();
	}

	@Test
	void readyMessagesOfAHeldGroupAreMarkedByASweep() {
		schedule("a", DUE);
		this.store.sweep();
		hold();

		assertThat(take(100).read().entries()).extracting(Entry::special).containsExactly(Special.HELD);
	}

	@Test
	void aMessageThatKeepsItsSlotLosesItAndTheOrderIsKept() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		Entry first = this.strict.moveAndTake("holder", 100).read().entries().get(0);
		assertThat(first.id()).isEqualTo("a");
		hold();
		this.strict.release(DUE, first);
		List<String> handled = handleAll(this.strict);
		assertThat(handled).isEmpty();
		assertThat(this.partition.dump().groups().active()).isEmpty();
		assertThat(this.partition.dump().groups().parked()).hasSize(3);

		passTime();

		for (int i = 0; i < 10; i++) {
			handled.addAll(handleAll(this.strict));
		}
		assertThat(handled).containsExactly("a", "b", "c");
	}

	@Test
	void aSettlementBringsNoMessageOfAHeldGroupBack() {
		schedule("a", DUE, "b", DUE + 1);
		Entry first = this.strict.moveAndTake("holder", 100).read().entries().get(0);
		hold();
		take(100);

		this.strict.acknowledge(first);
		take(100);

		assertThat(this.partition.dump().groups().parked()).hasSize(1);
		assertThat(handleAll(this.strict)).isEmpty();
	}

	@Test
	void anExpiredMessageOfAHeldGroupWaitsForTheEndOfTheHold() {
		schedule("a", DUE);
		this.partition.command("ZADD", Key.EXPIRIES, Long.toString(DUE + 1), "a");
		hold();
		assertThat(ids(take(100))).isEmpty();

		passTime();

		assertThat(take(100).read().entries()).extracting(Entry::expiryMillis).containsExactly(DUE + 1);
	}

	@Test
	void withoutAHoldNoScriptRunsMoreCommands() {
		try (Connected connected = Connected.over(Driver.JEDIS, SharedRedis.get().uri())) {
			CountingScripts counting = CountingScripts.of(connected.template(), this.partition.redis());
			TestStore counted = this.partition.storeOver(connected);
			schedule("a", DUE);
			counted.sweep();
			counting.cost();

			this.holds.hold(this.store.partition(), States.hold("other", FAR));
			counted.moveAndTake("holder", 0);
			long held = counting.cost().commands();
			this.holds.endAll(this.store.partition());
			counted.moveAndTake("holder", 0);
			long free = counting.cost().commands();

			assertThat(held).isGreaterThan(free);
			assertThat(free).isEqualTo(FREE_SWEEP);
			assertThat(counted.read("holder")).hasSize(1);
			assertThat(counting.cost().commands()).isEqualTo(FREE_READ);
		}
	}

	private void hold() {
		this.holds.hold(this.store.partition(), States.hold(GROUP, FAR));
	}

	/** Lets Redis see the hold as if its end had passed. */
	private void passTime() {
		this.partition.command("HSET", Key.HOLDS, GROUP, "0000000000001000handler|worker-1|429");
		this.partition.command("HSET", Key.CONTROL, "holds", "1000");
		this.partition.command("ZADD", Key.THROTTLED, "1000", GROUP);
	}

	private Swept take(int most) {
		return this.store.moveAndTake("holder", most);
	}

	private static List<String> ids(Swept swept) {
		return swept.read().entries().stream().map(Entry::id).toList();
	}

}
