package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A queue without consumers has no sweeper: calls that add members to {@code done} remove
 * those whose window has ended.
 */
class ForgottenWindowsIntegrationTests {

	private static final int ENDED = 5000;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store()
		.with(new GroupSettings(1, true, false, 1, null, null, Map.of()));

	static Stream<Named<DuplicatePolicy>> endingAnother() {
		return Stream.of(Named.of("replace", DuplicatePolicy.replace()),
				Named.of("postpone", DuplicatePolicy.postpone(Duration.ofDays(1))));
	}

	@ParameterizedTest
	@MethodSource("endingAnother")
	void whenMessageIsReplacedEndedWindowsAreRemoved(DuplicatePolicy policy) {
		this.store.schedule("a", FAR, 0);
		leaveEnded(ENDED);
		for (int call = 1; call <= 51; call++) {
			assertThat(this.store.schedule(onDuplicate(policy, "a", call))).extracting(Answer::stored)
				.doesNotContain(Stored.CREATED);
		}
		assertThat(this.partition.dump().done()).as("a tombstone and an answer of each call")
			.hasSize(102)
			.allSatisfy((member, end) -> assertThat(member).doesNotStartWith("ended"));
	}

	@Test
	void whenOldestMessageIsDroppedEndedWindowsAreRemoved() {
		this.store.schedule(TestMessages.message("id-0", FAR, "g", 0));
		leaveEnded(ENDED);
		for (int call = 1; call <= 51; call++) {
			assertThat(this.store.schedule(TestMessages.message("id-" + call, FAR, "g", call)).get(0).dropped())
				.containsExactly("id-" + (call - 1));
		}
		assertThat(this.partition.dump().done())
			.containsOnlyKeys(IntStream.range(0, 51).mapToObj((i) -> "\0" + TestMessages.token(i)).toList());
	}

	@Test
	void whenMessageOfSameCallIsDroppedEndedWindowsAreRemoved() {
		leaveEnded(60);
		assertThat(this.store.schedule(TestMessages.message("a", FAR, "g", 1), TestMessages.message("b", FAR, "g", 2)))
			.extracting(Answer::dropped)
			.last()
			.isEqualTo(List.of("a"));
		assertThat(this.partition.dump().done()).containsOnlyKeys("\0" + TestMessages.token(1));
	}

	@Test
	void whenCallReplacesManyMessagesMoreWindowsAreRemovedThanAdded() {
		NewMessage[] first = IntStream.range(0, 500).mapToObj((i) -> message(i, i)).toArray(NewMessage[]::new);
		this.store.schedule(first);
		leaveEnded(600);
		this.store.schedule(IntStream.range(0, 500)
			.mapToObj((i) -> TestMessages.onDuplicate(DuplicatePolicy.replace(), message(i, 500 + i)))
			.toArray(NewMessage[]::new));
		assertThat(this.partition.dump().done()).hasSize(1000).doesNotContainKey("ended-0");
	}

	@Test
	void whenNoWindowHasEndedNoneIsRemoved() {
		this.store.schedule("a", FAR, 0);
		leaveEnded(10);
		this.store.schedule("b", FAR, 1);
		this.store.schedule(TestMessages.message("a", FAR, 2));
		assertThat(this.partition.dump().done()).hasSize(10);
	}

	private void leaveEnded(int count) {
		String[] marks = IntStream.range(0, count)
			.boxed()
			.flatMap((i) -> Stream.of(Integer.toString(i), "ended-" + i))
			.toArray(String[]::new);
		this.partition.command("ZADD", Key.DONE, marks);
	}

	private static NewMessage message(int id, int token) {
		return TestMessages.message("id-" + id, FAR, token);
	}

	private static NewMessage onDuplicate(DuplicatePolicy policy, String id, int token) {
		return TestMessages.onDuplicate(policy, TestMessages.message(id, FAR, token));
	}

}
