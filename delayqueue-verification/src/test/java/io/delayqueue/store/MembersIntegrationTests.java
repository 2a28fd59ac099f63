package io.delayqueue.store;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.delayqueue.queue.Epochs;
import io.delayqueue.store.Members.Member;
import io.delayqueue.store.Members.Refreshed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The list of members in Redis: how long a process is listed, and which list a caller
 * gets.
 */
class MembersIntegrationTests {

	private static final Map<String, Epochs> ORDERS = Map.of("orders", Epochs.first("orders", 12));

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final Members members = new Members(this.partition.store().calls());

	@AfterEach
	void removeKeys() {
		List.of(Key.MEMBERS, Key.MEMBERSHIPS, Key.CONSUMPTIONS).forEach((key) -> this.partition.command("DEL", key));
	}

	@Test
	void aProcessIsListedWithWhatItConsumesSinceItsFirstRefresh() {
		long before = this.partition.now();
		Refreshed first = refresh("one", ORDERS, "");
		assertThat(first.changed()).isTrue();

		Refreshed again = refresh("one", ORDERS, "");

		assertThat(again.changed()).isFalse();
		assertThat(again.version()).isEqualTo(first.version());
		assertThat(again.members()).isEqualTo(first.members())
			.singleElement()
			.satisfies((member) -> assertThat(member.sinceMillis()).isBetween(before, this.partition.now()))
			.returns("one", Member::name)
			.returns(new TreeMap<>(ORDERS), Member::queues);
	}

	@Test
	void aCallerThatHasTheVersionGetsNoList() {
		Refreshed first = refresh("one", ORDERS, "");
		assertThat(refresh("one", ORDERS, first.version()).members()).isNull();

		Refreshed second = refresh("two", ORDERS, "");

		assertThat(refresh("one", ORDERS, first.version()).members()).extracting(Member::name)
			.containsExactlyInAnyOrder("one", "two");
		assertThat(this.members.list(second.version()).members()).isNull();
		assertThat(this.members.list("").members()).hasSize(2);
	}

	@Test
	void whatSeveralMembersConsumeIsStoredOnceAndRemovedWithTheLastOne() {
		refresh("one", ORDERS, "");
		refresh("two", ORDERS, "");
		refresh("three", Map.of("orders", Epochs.first("orders", 12), "pushes", Epochs.first("pushes", 1)), "");
		assertThat(call("HLEN", Key.CONSUMPTIONS)).isEqualTo("2");

		refresh("three", ORDERS, "");
		assertThat(call("HLEN", Key.CONSUMPTIONS)).isEqualTo("1");
		List.of("one", "two", "three").forEach(this.members::leave);

		assertThat(call("HLEN", Key.CONSUMPTIONS)).isEqualTo("0");
		assertThat(this.members.list("").members()).isEmpty();
	}

	@Test
	void aMemberThatDoesNotRefreshIsDroppedByTheNextRefreshOfAnother() {
		refresh("one", ORDERS, "");
		refresh("dead", ORDERS, "");
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() - 1), "dead");

		Refreshed refreshed = refresh("one", ORDERS, "");

		assertThat(refreshed.changed()).isTrue();
		assertThat(refreshed.members()).extracting(Member::name).containsExactly("one");
		assertThat(this.members.leave("dead").changed()).as("gone already").isFalse();
	}

	@Test
	void aReaderDoesNotSeeMembersWhoseTimeHasPassed() {
		String version = refresh("dead", ORDERS, "").version();
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() - 1), "dead");

		assertThat(this.members.list(version).members()).isEmpty();
	}

	@Test
	void afterARestartOfAllProcessesDeadMembersAreNotListedAgain() {
		refresh("dead", ORDERS, "");
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() - 1000), "dead");

		assertThat(refresh("new", ORDERS, "").members()).extracting(Member::name).containsExactly("new");
	}

	@Test
	void aMemberThatWasRemovedByHandIsListedAgainAndOthersGetTheNewList() {
		refresh("one", ORDERS, "");
		refresh("two", ORDERS, "");
		call("ZREM", Key.MEMBERS, "two");
		String version = refresh("one", ORDERS, "").version();

		refresh("two", ORDERS, version);

		assertThat(refresh("one", ORDERS, version).members()).hasSize(2);
	}

	@Test
	void afterAnOutageTheFirstRefreshDropsNoMember() {
		refresh("one", ORDERS, "");
		refresh("two", ORDERS, "");
		long ended = this.partition.now() - 1000;
		call("ZADD", Key.MEMBERS, String.valueOf(ended), "one");
		call("ZADD", Key.MEMBERS, String.valueOf(ended), "two");

		assertThat(refresh("one", ORDERS, "").members()).hasSize(2);
		assertThat(refresh("one", ORDERS, "").members()).hasSize(2);
	}

	@Test
	void aSlowMemberDoesNotKeepDeadOnes() {
		refresh("slow", ORDERS, "");
		refresh("dead", ORDERS, "");
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() - 1), "dead");
		// The greatest time of all is less than half of the time to live away
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() + 2000), "slow");

		assertThat(refresh("slow", ORDERS, "").members()).extracting(Member::name).containsExactly("slow");
	}

	@Test
	void membersOfADayAgoAreDroppedAtOnce() {
		refresh("yesterday", ORDERS, "");
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() - 86_400_000), "yesterday");

		assertThat(refresh("one", ORDERS, "").members()).extracting(Member::name).containsExactly("one");
	}

	@Test
	void afterTheClockHasGoneBackMembersAreListedNoLongerThanUsual() {
		refresh("one", ORDERS, "");
		refresh("dead", ORDERS, "");
		call("ZADD", Key.MEMBERS, String.valueOf(this.partition.now() + 3_600_000), "dead");

		refresh("one", ORDERS, "");

		assertThat(Long.parseLong(call("ZSCORE", Key.MEMBERS, "dead")))
			.isLessThanOrEqualTo(this.partition.now() + Members.TIME_TO_LIVE.toMillis());
	}

	@Test
	void afterTheKeysAreLostTheListIsMadeAnew() {
		Refreshed first = refresh("one", ORDERS, "");
		removeKeys();

		Refreshed again = refresh("one", ORDERS, first.version());

		assertThat(again.members()).extracting(Member::name).containsExactly("one");
		assertThat(again.version()).isNotEqualTo(first.version());
	}

	private Refreshed refresh(String name, Map<String, Epochs> queues, String version) {
		return this.members.refresh(name, new TreeMap<>(queues), version);
	}

	private String call(String command, Key key, String... arguments) {
		TestStore store = this.partition.store();
		Stream<String> name = Stream.of(command, store.calls().keySpace().name(store.partition(), key));
		return String
			.valueOf(this.partition.redis().call(Stream.concat(name, Stream.of(arguments)).toArray(String[]::new)));
	}

}
