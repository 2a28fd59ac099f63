package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import io.delayqueue.MessageState;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.core.RedisCallback;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages of messages that are scheduled, ready or pending.
 */
class PagesIntegrationTests extends PagedPartition {

	@ParameterizedTest
	@EnumSource(names = { "PARKED", "FINISHED" }, mode = EnumSource.Mode.EXCLUDE)
	void anEmptyPartitionHasOneEmptyPage(MessageState state) {
		assertThat(page(state, Pages.Position.BEGIN, 10)).isEqualTo(new Page(List.of(), null));
		States.finished().prepare(this.partition);
		assertThat(page(state, Pages.Position.BEGIN, 10)).isEqualTo(new Page(List.of(), null));
	}

	@Test
	void scheduledMessagesAreListedByDueTimeAndThenByTheBytesOfTheId() {
		for (String id : List.of("b", "10", "9", "a", "B", "é", "Ω", "a/../b c", "\uD83D\uDE00")) {
			this.store.schedule(id, FAR, 1);
		}
		this.store.schedule("z", FAR - 1, 1);
		this.store.schedule("0", FAR + 1, 1);
		PartitionDump before = this.partition.dump();
		for (int limit = 1; limit <= 12; limit++) {
			assertThat(follow(MessageState.SCHEDULED, limit)).extracting(Listed::id)
				.containsExactly("z", "10", "9", "B", "a", "a/../b c", "b", "é", "Ω", "\uD83D\uDE00", "0");
		}
		assertThat(this.store.list(MessageState.SCHEDULED)).first().extracting(Listed::atMillis).isEqualTo(FAR - 1);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aFullPageReportsWhetherMoreFollow() {
		States.scheduled("a", "b", "c", "d").prepare(this.partition);
		Page first = page(MessageState.SCHEDULED, Pages.Position.BEGIN, 2);
		assertThat(first.next()).isNotNull();
		assertThat(page(MessageState.SCHEDULED, first.next(), 2).next()).isNull();
	}

	/**
	 * Members are added, removed and moved at random, including the one at the end of the
	 * last page: unmoved members are listed once, and in their order.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void duringChangesUnmovedMessagesAreListedOnce(long seed) {
		Random random = new Random(seed);
		Set<String> staying = new LinkedHashSet<>();
		for (int i = 0; i < 60; i++) {
			String id = "stays-" + random.nextInt(1_000_000);
			staying.add(id);
			add(id, random.nextInt(4));
			add("goes-" + random.nextInt(100), random.nextInt(4));
		}
		List<Listed> met = new ArrayList<>();
		Pages.Position after = Pages.Position.BEGIN;
		while (after != null) {
			Page page = page(MessageState.SCHEDULED, after, 1 + random.nextInt(5));
			met.addAll(page.messages());
			after = page.next();
			for (Listed listed : page.messages()) {
				if (listed.id().startsWith("goes-")) {
					this.partition.command("ZREM", Key.SCHEDULED, listed.id());
				}
			}
			for (int i = 0; i < 5; i++) {
				this.partition.command("ZREM", Key.SCHEDULED, "goes-" + random.nextInt(100));
				add("goes-" + random.nextInt(100), random.nextInt(4));
			}
		}
		assertThat(met).filteredOn((listed) -> staying.contains(listed.id()))
			.extracting(Listed::id)
			.containsExactlyInAnyOrderElementsOf(staying);
		assertThat(met).isSortedAccordingTo(
				(one, other) -> (one.atMillis() != other.atMillis()) ? Long.compare(one.atMillis(), other.atMillis())
						: Arrays.compareUnsigned(one.id().getBytes(StandardCharsets.UTF_8),
								other.id().getBytes(StandardCharsets.UTF_8)));
	}

	@Test
	void membersAndScoresOfAnotherProgramDoNotRepeatForEver() {
		this.partition.command("ZADD", Key.SCHEDULED, "-inf", "a", "1.5", "b", "1.5", "c", "1e300", "d", "inf", "e",
				"inf", "f");
		try (var connected = Connected.over(Driver.JEDIS, SharedRedis.get().uri())) {
			byte[] key = Reply.bytes(this.partition.key(Key.SCHEDULED));
			for (int last = 0; last < 4; last++) {
				byte[] member = { 'x', (byte) (0xfc + last) };
				connected.template()
					.execute((RedisCallback<Boolean>) (connection) -> connection.zSetCommands().zAdd(key, 1.5, member));
			}
		}
		assertThat(follow(MessageState.SCHEDULED, 1)).extracting(Listed::id)
			.containsExactly("a", "b", "c", "x\uFFFD", "x\uFFFD", "x\uFFFD", "x\uFFFD", "d", "e", "f");
	}

	@Test
	void readyMessagesAreListedInStreamOrderWithoutPendingOnes() {
		States.pending("a", "b").prepare(this.partition);
		States.ready("c", "d", "e", "f", "g").prepare(this.partition);
		PartitionDump before = this.partition.dump();
		for (int limit = 1; limit <= 6; limit++) {
			assertThat(follow(MessageState.READY, limit)).extracting(Listed::id)
				.containsExactly("c", "d", "e", "f", "g");
			assertThat(follow(MessageState.PENDING, limit)).extracting(Listed::id).containsExactly("a", "b");
		}
		Listed first = this.store.list(MessageState.READY).get(0);
		assertThat(first.atMillis()).isBetween(this.partition.now() - 60_000, this.partition.now());
		assertThat(first.consumer()).isNull();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void withoutAConsumerGroupAllEntriesAreReady() {
		States.ready("a", "b").prepare(this.partition);
		assertThat(this.store.list(MessageState.READY)).extracting(Listed::id).containsExactly("a", "b");
		assertThat(this.store.list(MessageState.PENDING)).isEmpty();
	}

	@Test
	void messagesReadBetweenPagesAreNotListedAndNoOtherIsSkipped() {
		States.pending("x").prepare(this.partition);
		States.ready("a", "b", "c", "d", "e").prepare(this.partition);
		Page first = page(MessageState.READY, Pages.Position.BEGIN, 1);
		assertThat(first.messages()).extracting(Listed::id).containsExactly("a");
		this.store.ready().read(this.store.partition(), "one", 3);
		Page second = page(MessageState.READY, first.next(), 1);
		assertThat(second.messages()).extracting(Listed::id).containsExactly("d");
		this.store.cancel("d", 50);
		assertThat(page(MessageState.READY, second.next(), 5).messages()).extracting(Listed::id).containsExactly("e");
	}

	@Test
	void pendingMessagesAreListedWithConsumerAndIdleTime() {
		Entry held = States.failedTwice(States.pending("a", "b")).prepare(this.partition).get(0);
		this.partition.command("XCLAIM", Key.READY, KeySpace.GROUP, "holder", "0", held.entry(), "IDLE", "3600000",
				"JUSTID");
		Listed first = this.store.list(MessageState.PENDING).get(0);
		assertThat(first.id()).isEqualTo("a");
		assertThat(first.consumer()).isEqualTo("holder");
		assertThat(first.idleMillis()).isGreaterThanOrEqualTo(3_600_000);
		assertThat(first.failure().failures()).isEqualTo(2);
	}

	@Test
	void aReplacedMessageIsListedOnce() {
		States.pendingTwice().prepare(this.partition);
		assertThat(this.store.list(MessageState.PENDING)).singleElement().satisfies((listed) -> {
			assertThat(listed.id()).isEqualTo("a");
			assertThat(listed.consumer()).isEqualTo("second");
		});
	}

	@Test
	void deletedPendingEntriesHideNoMessages() {
		List<Entry> held = States.pending("a", "b", "c", "d", "e", "f").prepare(this.partition);
		for (int i = 1; i < 4; i++) {
			this.partition.command("XDEL", Key.READY, held.get(i).entry());
		}
		assertThat(follow(MessageState.PENDING, 3)).extracting(Listed::id).containsExactly("a", "e", "f");
		assertThat(this.store.list(MessageState.PENDING)).extracting(Listed::id).containsExactly("a", "e", "f");
	}

	@Test
	void tenThousandDueInOneMillisecondAreListedOnceEach() {
		int all = 10_000;
		for (int from = 0; from < all; from += 1000) {
			String[] arguments = new String[2000];
			for (int i = 0; i < 1000; i++) {
				arguments[2 * i] = Long.toString(FAR);
				arguments[2 * i + 1] = "id-%06d".formatted(from + i);
			}
			this.partition.command("ZADD", Key.SCHEDULED, arguments);
		}
		List<String> met = new ArrayList<>();
		Pages.Position after = Pages.Position.BEGIN;
		while (after != null) {
			Page page = page(MessageState.SCHEDULED, after, 250);
			page.messages().forEach((listed) -> met.add(listed.id()));
			after = page.next();
			if (after != null) {
				this.partition.command("ZREM", Key.SCHEDULED, met.get(met.size() - 1));
			}
		}
		assertThat(met).hasSize(all).isSorted().doesNotHaveDuplicates();
	}

	private void add(String id, int due) {
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE + due), id);
	}

}
