package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.MessageState;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.core.RedisCallback;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

class PagesIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

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
	void deadLettersAreListedByTimeOfDeadLetteringWithTheirFailures() {
		die("b", "a", "c");
		this.partition.command("ZADD", Key.DEAD, "1000", "c", "2000", "a", "2000", "b");
		this.partition.command("HSET", Key.GROUPED, "a", "0000000000001000\0g 1");
		assertThat(follow(MessageState.DEAD, 2)).extracting(Listed::id).containsExactly("c", "a", "b");
		Listed first = this.store.list(MessageState.DEAD).get(0);
		assertThat(first.atMillis()).isEqualTo(1000);
		assertThat(first.failure().failures()).isEqualTo(1);
		assertThat(first.failure().last()).isEqualTo(new FailureRecord.Last("UNKNOWN", null, "it broke"));
		assertThat(first.consumer()).isNull();
		assertThat(this.store.list(MessageState.DEAD)).extracting(Listed::group).containsExactly(null, "g 1", null);
	}

	@Test
	void deadLettersAreSelectedByTheirReason() {
		String[] ids = IntStream.range(0, 40).mapToObj("id-%02d"::formatted).toArray(String[]::new);
		die(ids);
		for (int i = 0; i < ids.length; i++) {
			this.partition.command("ZADD", Key.DEAD, "1000", ids[i]);
			String reason = (i % 10 == 3) ? "NEVER_RETRIED|java.lang.Error|HANDLER_FAILED|x"
					: "HANDLER_FAILED|a.NEVER_RETRIED|NEVER_RETRIED|x";
			this.partition.command("HSET", Key.FAILURES, ids[i], "1|0|0|7-0|" + reason);
		}
		this.partition.command("HSET", Key.FAILURES, "id-05", "of another form");
		this.partition.command("HDEL", Key.FAILURES, "id-06");
		assertThat(because("NEVER_RETRIED")).containsExactly("id-03", "id-13", "id-23", "id-33");
		assertThat(because("UNKNOWN")).containsExactly("id-05", "id-06");
		assertThat(because("HANDLER_FAILED")).hasSize(34);
		assertThat(because("HANDLER")).isEmpty();
		assertThat(because("%a+")).isEmpty();
		assertThat(this.store.pages()
			.deadBecause(this.store.partition(), "NEVER_RETRIED", Pages.Position.BEGIN, 2)
			.messages()).extracting(Listed::id).containsExactly("id-03", "id-13");
	}

	@Test
	void theSearchForAReasonIsBoundedAndContinuesWhereItEnded() {
		for (int i = 0; i < 600; i++) {
			this.partition.command("ZADD", Key.DEAD, "1000", "id-%04d".formatted(i));
		}
		this.partition.command("HSET", Key.FAILURES, "id-0400", "1|0|0|7-0|CRASHED||gone");
		Pages pages = this.store.pages();
		Page first = pages.deadBecause(this.store.partition(), "CRASHED", Pages.Position.BEGIN, 10);
		assertThat(first.messages()).isEmpty();
		assertThat(first.next()).hasToString("1000 id-0249");
		Page second = pages.deadBecause(this.store.partition(), "CRASHED", first.next(), 10);
		assertThat(second.messages()).extracting(Listed::id).containsExactly("id-0400");
		assertThat(second.next()).hasToString("1000 id-0499");
		Page third = pages.deadBecause(this.store.partition(), "CRASHED", second.next(), 10);
		assertThat(third.messages()).isEmpty();
		assertThat(third.next()).isNull();
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
	void aHundredThousandDueInOneMillisecondAreListedOnceEach() {
		int all = 100_000;
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

	/** The bound is the last dead letter, whatever the clock shows. */
	@Test
	void aBoundedWalkEndsBehindTheDeadLetterThatWasLastAtItsBeginning() {
		String future = Long.toString(FAR);
		this.partition.command("ZADD", Key.DEAD, "1", "a", "2", "b", future, "d");
		Page first = page(MessageState.DEAD, Pages.Position.BEGIN_BOUNDED, 1);
		this.partition.command("ZADD", Key.DEAD, "3", "between", future, "e", Long.toString(FAR + 1), "later");

		assertThat(first.messages()).extracting(Listed::id).containsExactly("a");
		assertThat(follow(MessageState.DEAD, first.next(), 1)).extracting(Listed::id)
			.containsExactly("b", "between", "d", "e");
		assertThat(follow(MessageState.DEAD, first.next(), 10)).hasSize(4);
		assertThat(follow(MessageState.DEAD, Pages.Position.BEGIN_BOUNDED, 1)).hasSize(6);
	}

	@Test
	void aBoundedWalkEndsEvenIfAllItsDeadLettersAreRemoved() {
		this.partition.command("ZADD", Key.DEAD, "1", "a", "2", "b");
		Page first = page(MessageState.DEAD, Pages.Position.BEGIN_BOUNDED, 1);
		this.partition.command("DEL", Key.DEAD);
		this.partition.command("ZADD", Key.DEAD, "3", "later");

		assertThat(page(MessageState.DEAD, first.next(), 10)).isEqualTo(new Page(List.of(), null));
		this.partition.command("DEL", Key.DEAD);
		assertThat(page(MessageState.DEAD, first.next(), 10)).isEqualTo(new Page(List.of(), null));
		assertThat(page(MessageState.DEAD, Pages.Position.BEGIN_BOUNDED, 10)).isEqualTo(new Page(List.of(), null));
	}

	private void add(String id, int due) {
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE + due), id);
	}

	private void die(String... ids) {
		for (int i = 0; i < ids.length; i++) {
			this.store.schedule(ids[i], DUE, 100 + i);
		}
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
	}

	private List<String> because(String reason) {
		return this.store.pages()
			.deadBecause(this.store.partition(), reason, Pages.Position.BEGIN, 100)
			.messages()
			.stream()
			.map(Listed::id)
			.toList();
	}

	private Page page(MessageState state, Pages.Position after, int limit) {
		return this.store.pages().list(this.store.partition(), state, after, limit);
	}

	private List<Listed> follow(MessageState state, int limit) {
		return follow(state, Pages.Position.BEGIN, limit);
	}

	private List<Listed> follow(MessageState state, Pages.Position from, int limit) {
		List<Listed> met = new ArrayList<>();
		Pages.Position after = from;
		while (after != null) {
			Page page = page(state, after, limit);
			assertThat(page.messages()).hasSizeLessThanOrEqualTo(limit);
			met.addAll(page.messages());
			after = page.next();
			assertThat(met).hasSizeLessThan(10_000);
		}
		return met;
	}

}
