package io.delayqueue.store;

import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.MessageState;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pages of dead letters: their order, their selection by reason, and the end of a walk.
 */
class DeadLetterPagesIntegrationTests extends PagedPartition {

	@Test
	void deadLettersAreListedByTimeOfDeadLetteringWithTheirFailures() {
		die("b", "a", "c");
		this.partition.command("ZADD", Key.DEAD, "1000", "c", "2000", "a", "2000", "b");
		assertThat(follow(MessageState.DEAD, 2)).extracting(Listed::id).containsExactly("c", "a", "b");
		Listed first = this.store.list(MessageState.DEAD).get(0);
		assertThat(first.atMillis()).isEqualTo(1000);
		assertThat(first.failure().failures()).isEqualTo(1);
		assertThat(first.failure().last()).isEqualTo(new FailureRecord.Last("UNKNOWN", null, "it broke"));
		assertThat(first.consumer()).isNull();
		assertThat(this.store.list(MessageState.DEAD)).extracting(Listed::group).containsOnlyNulls();
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
		assertThat(first.next()).hasToString("1000 'id-0249'");
		Page second = pages.deadBecause(this.store.partition(), "CRASHED", first.next(), 10);
		assertThat(second.messages()).extracting(Listed::id).containsExactly("id-0400");
		assertThat(second.next()).hasToString("1000 'id-0499'");
		Page third = pages.deadBecause(this.store.partition(), "CRASHED", second.next(), 10);
		assertThat(third.messages()).isEmpty();
		assertThat(third.next()).isNull();
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

}
