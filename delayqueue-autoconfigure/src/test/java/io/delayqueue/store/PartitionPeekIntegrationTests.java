package io.delayqueue.store;

import java.util.List;

import io.delayqueue.store.PartitionPeek.Look;
import io.delayqueue.store.PartitionPeek.State;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class PartitionPeekIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	private final PartitionPeek looks = new PartitionPeek(this.store.calls());

	@Test
	void anEmptyPartitionHasNothingToDoAndStaysAsItIs() {
		assertThat(look()).isEqualTo(new Look(State.EMPTY, -1));
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void whatIsDueLaterIsTold() {
		this.store.schedule("a", FAR, 1);
		PartitionDump before = this.partition.dump();

		Look look = look();

		assertThat(look.state()).isEqualTo(State.EMPTY);
		long nowMicros = this.store.snapshots().of(this.store.partition()).nowMicros();
		assertThat(look.dueInMicros()).isBetween(FAR * 1000 - nowMicros, FAR * 1000 - nowMicros + 60_000_000);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void whatIsDueIsToBeSwept() {
		States.scheduled("a").prepare(this.partition);
		assertThat(look().state()).isEqualTo(State.BUSY);
	}

	@Test
	void whatIsReadyIsToBeReadAlsoBeforeAnybodyHasRead() {
		States.ready("a").prepare(this.partition);
		assertThat(look().state()).as("nobody has read yet").isEqualTo(State.BUSY);
		this.store.read("one");
		States.ready("b").prepare(this.partition);
		assertThat(look().state()).as("a is pending, b is not").isEqualTo(State.BUSY);
	}

	@Test
	void whatIsPendingIsQuietUntilItIsSettled() {
		List<Entry> held = States.pending("a", "b").prepare(this.partition);
		assertThat(look()).isEqualTo(new Look(State.QUIET, -1));
		this.store.acknowledge(held.toArray(Entry[]::new));
		assertThat(look()).isEqualTo(new Look(State.EMPTY, -1));
	}

	@Test
	void whatHasFinishedIsToBeForgottenWhenItsWindowHasEnded() {
		States.finished().prepare(this.partition);
		assertThat(look().state()).isEqualTo(State.EMPTY);
		States.windowsEnded(States.nothing()).prepare(this.partition);
		assertThat(look().state()).isEqualTo(State.BUSY);
	}

	@Test
	void whatIsParkedMayHaveRoom() {
		this.partition.command("ZADD", Key.PARKED, "0", "member");
		assertThat(look().state()).isEqualTo(State.BUSY);
	}

	@Test
	void aPauseIsForTheSweepToTell() {
		States.paused(States.nothing()).prepare(this.partition);
		assertThat(look().state()).isEqualTo(State.BUSY);
	}

	@Test
	void anotherLayoutIsForTheSweepToMeet() {
		this.store.schedule("a", FAR, 1);
		this.partition.command("HSET", Key.CONTROL, "layout", "2");
		assertThat(look().state()).isEqualTo(State.BUSY);
	}

	@ParameterizedTest
	@EnumSource(names = { "SCHEDULED", "READY", "DONE", "PARKED", "CONTROL" })
	void aKeyOfAnotherProgramIsForTheSweepToMeetAndKeepsNothingFromTheOthers(Key key) {
		this.partition.command("SET", key, "something else");
		Partition other = new Partition("other", 3);

		assertThat(this.looks.look(List.of(other, this.store.partition(), other))).extracting(Look::state)
			.containsExactly(State.EMPTY, State.BUSY, State.EMPTY);
	}

	@Test
	void aServerThatTakesNoCallAboutSeveralSlotsIsAskedOnce() {
		try (RedisServer server = RedisServer.builder().setting("cluster-enabled", "yes").start();
				Connected connected = Connected.over(Driver.JEDIS, server.uri())) {
			server.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			TestStore alone = this.partition.storeOver(connected);
			PartitionPeek looks = new PartitionPeek(alone.calls());
			assertThat(looks.isPossible()).isTrue();

			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> looks.look(List.of(alone.partition(), new Partition("other", 3))))
				.matches((failure) -> !failure.isRedisLost());

			assertThat(looks.isPossible()).isFalse();
		}
	}

	@Test
	void aServerThatTakesNoWritesIsNotBelieved() {
		try (RedisServer server = RedisServer.builder().start();
				Connected connected = Connected.over(Driver.JEDIS, server.uri())) {
			PartitionPeek looks = new PartitionPeek(this.partition.storeOver(connected).calls());
			server.call("REPLICAOF", "127.0.0.1", "1");

			assertThatExceptionOfType(StoreException.class)
				.isThrownBy(() -> looks.look(List.of(this.store.partition())))
				.withMessageContaining("READONLY");

			assertThat(looks.isPossible()).isTrue();
		}
	}

	private Look look() {
		return this.looks.look(List.of(this.store.partition())).get(0);
	}

}
