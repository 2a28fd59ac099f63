package io.delayqueue.store;

import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.PartitionPeek.Peeked;
import io.delayqueue.store.PartitionPeek.State;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
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

	private final PartitionPeek peek = new PartitionPeek(this.store.calls());

	@Test
	void anEmptyPartitionHasNothingToDoAndStaysAsItIs() {
		assertThat(peek()).isEqualTo(new Peeked(State.EMPTY, -1));
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void theNextDueTimeIsReturned() {
		this.store.schedule("a", FAR, 1);
		PartitionDump before = this.partition.dump();

		Peeked peeked = peek();

		assertThat(peeked.state()).isEqualTo(State.EMPTY);
		long nowMicros = this.store.snapshots().of(this.store.partition()).nowMicros();
		assertThat(peeked.dueInMicros()).isBetween(FAR * 1000 - nowMicros, FAR * 1000 - nowMicros + 60_000_000);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aDueMessageMakesAPartitionBusy() {
		States.scheduled("a").prepare(this.partition);
		assertThat(peek().state()).isEqualTo(State.BUSY);
	}

	@Test
	void aReadyMessageMakesAPartitionBusyEvenBeforeTheFirstRead() {
		States.ready("a").prepare(this.partition);
		assertThat(peek().state()).as("before the first read").isEqualTo(State.BUSY);
		this.store.read("one");
		States.ready("b").prepare(this.partition);
		assertThat(peek().state()).as("a is pending, b is not").isEqualTo(State.BUSY);
	}

	@Test
	void aPartitionIsQuietWhileItsMessagesArePending() {
		List<Entry> held = States.pending("a", "b").prepare(this.partition);
		assertThat(peek()).isEqualTo(new Peeked(State.QUIET, -1));
		this.store.acknowledge(held.toArray(Entry[]::new));
		assertThat(peek()).isEqualTo(new Peeked(State.EMPTY, -1));
	}

	@Test
	void aPartitionIsNotEmptyUntilTheEntryOfACancelledMessageIsReclaimed() {
		States.pending("a").prepare(this.partition);
		this.store.cancel("a", 50);
		assertThat(peek()).isEqualTo(new Peeked(State.QUIET, -1));

		this.store.reclaim();

		assertThat(peek()).isEqualTo(new Peeked(State.EMPTY, -1));
		assertThat(this.store.leases().of(this.store.partition(), "holder", "")).isEmpty();
	}

	@Test
	void anEndedWindowMakesAPartitionBusy() {
		States.finished().prepare(this.partition);
		assertThat(peek().state()).isEqualTo(State.EMPTY);
		States.windowsEnded(States.nothing()).prepare(this.partition);
		assertThat(peek().state()).isEqualTo(State.BUSY);
	}

	@Test
	void aParkedMessageMakesAPartitionBusy() {
		this.partition.command("ZADD", Key.PARKED, "0", "member");
		assertThat(peek().state()).isEqualTo(State.BUSY);
	}

	@Test
	void aPauseMakesAPartitionWithMessagesBusySoThatASweepReportsIt() {
		States.paused(States.nothing()).prepare(this.partition);
		assertThat(peek().state()).isEqualTo(State.EMPTY);
		this.store.schedule("a", FAR, 1);
		assertThat(peek().state()).isEqualTo(State.BUSY);
	}

	@Test
	void anotherLayoutMakesAPartitionBusySoThatASweepReportsIt() {
		this.store.schedule("a", FAR, 1);
		this.partition.command("HSET", Key.CONTROL, "layout", "3");
		assertThat(peek().state()).isEqualTo(State.BUSY);
	}

	@ParameterizedTest
	@EnumSource(names = { "SCHEDULED", "READY", "DONE", "PARKED", "CONTROL" })
	void aKeyOfAnotherProgramMakesOnlyItsPartitionBusy(Key key) {
		States.pending("a").prepare(this.partition);
		this.partition.command("SET", key, "something else");
		Partition other = new Partition("other", 3);

		assertThat(this.peek.peek(List.of(other, this.store.partition(), other))).extracting(Peeked::state)
			.containsExactly(State.EMPTY, State.BUSY, State.EMPTY);
	}

	@Test
	void partitionsOfSeveralSlotsOfOneMasterAreCheckedInOneCall() {
		try (RedisServer server = RedisServer.builder().setting("cluster-enabled", "yes").start();
				Connected connected = Connected.over(Driver.JEDIS, server.uri())) {
			server.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
			awaitCluster(server);
			TestStore alone = this.partition.storeOver(connected);

			assertThat(new PartitionPeek(alone.calls())
				.peek(List.of(alone.partition(), new Partition("other", 3), new Partition("other", 4))))
				.extracting(Peeked::state)
				.containsExactly(State.EMPTY, State.EMPTY, State.EMPTY);
		}
	}

	@Test
	void aPartitionOfASlotThatTheServerDoesNotHaveIsBusyAlone() {
		try (RedisServer server = RedisServer.builder().setting("cluster-enabled", "yes").start();
				Connected connected = Connected.over(Driver.JEDIS, server.uri())) {
			Partition elsewhere = new Partition("other", 3);
			TestStore alone = this.partition.storeOver(connected);
			int slot = alone.calls().slot(elsewhere);
			server.call("CLUSTER", "ADDSLOTSRANGE", "0", String.valueOf(slot - 1));
			server.call("CLUSTER", "ADDSLOTSRANGE", String.valueOf(slot + 1), "16383");
			server.call("CONFIG", "SET", "cluster-require-full-coverage", "no");
			awaitCluster(server);

			assertThat(new PartitionPeek(alone.calls()).peek(List.of(alone.partition(), elsewhere)))
				.extracting(Peeked::state)
				.containsExactly(State.EMPTY, State.BUSY);
		}
	}

	private static void awaitCluster(RedisServer server) {
		Awaitility.await()
			.until(() -> String.valueOf(server.client().text("CLUSTER", "INFO")).contains("cluster_state:ok"));
	}

	@Test
	void theAnswerOfAReadOnlyServerIsRefused() {
		try (RedisServer server = RedisServer.builder().start();
				Connected connected = Connected.over(Driver.JEDIS, server.uri())) {
			PartitionPeek peek = new PartitionPeek(this.partition.storeOver(connected).calls());
			server.call("REPLICAOF", "127.0.0.1", "1");

			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> peek.peek(List.of(this.store.partition())))
				.withMessageContaining("READONLY");

			assertThat(peek.isPossible()).isTrue();
		}
	}

	private Peeked peek() {
		return this.peek.peek(List.of(this.store.partition())).get(0);
	}

}
