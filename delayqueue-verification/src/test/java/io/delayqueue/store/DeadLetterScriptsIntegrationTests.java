package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.MessageState;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

class DeadLetterScriptsIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	private final DeadLetters letters = this.store.deadLetters();

	@Test
	void aDeadLetterHasItsFailures() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		this.store.deadLetter(held, "HANDLER_FAILED|java.io.IOException|a|b");
		DeadLetter letter = this.letters.find(this.store.candidate(TestMessages.key("a"))).orElseThrow();
		assertThat(letter).extracting(DeadLetter::reason, DeadLetter::exception, DeadLetter::message)
			.containsExactly("HANDLER_FAILED", "java.io.IOException", "a|b");
		assertThat(letter.failures()).isEqualTo(3);
		assertThat(letter.crashes()).isEqualTo(1);
		assertThat(list()).containsExactly(letter);
		assertThat(this.letters.find(this.store.candidate(TestMessages.key("b")))).isEmpty();
	}

	@Test
	void aRedrivenMessageIsScheduledWithoutFailures() {
		States.dead().prepare(this.partition);
		String delivered = this.partition.dump().stream().lastDelivered();
		Redriven redriven = this.letters.redrive(this.store.partition(), TestMessages.token(60), TestStore.WINDOW, 0,
				List.of(new Redrive(new StoredId("unknown", null), Duration.ZERO),
						new Redrive(new StoredId("a", null), Duration.ofHours(1))));
		long due = redriven.nowMicros() / 1000 + Duration.ofHours(1).toMillis();
		assertThat(redriven).isEqualTo(new Redriven(redriven.nowMicros(), due, 1, List.of()));
		assertThat(this.partition.dump().withoutTimes()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.scheduled("a", due)
			.delivered(delivered)
			.done("redriven\0" + TestMessages.token(60), 0)
			.build());
	}

	@Test
	void anEditedMessageKeepsItsTokenAndDueTimeAndARepeatChangesNothing() {
		States.dead().prepare(this.partition);
		this.partition.command("ZADD", Key.DEAD, "3000", "a");
		PartitionDump before = this.partition.dump();
		assertThat(this.store.edit(2999)).as("it died again").extracting(Redriven::redriven).isEqualTo(0);
		assertThat(this.partition.dump()).isEqualTo(before);

		Redriven redriven = this.store.repeating(60).edit(3000);

		String edited = before.messages().get("a").substring(0, 28) + "{\"headers\":{\"h\":\"v\"}}\nedited";
		assertThat(redriven.redriven()).isEqualTo(1);
		assertThat(this.partition.dump().messages()).containsEntry("a", edited);
		assertThat(this.partition.dump().locations("a")).containsExactly(Key.SCHEDULED);
		assertThat(this.store.schedule("a", DUE, 1).stored()).as("the repeat of the first call")
			.isEqualTo(Stored.CREATED);
		dieAgain();
		PartitionDump after = this.partition.dump();
		assertThat(this.store.repeating(60).edit(3000).redriven()).isEqualTo(1);
		assertThat(this.partition.dump()).isEqualTo(after);
		assertThat(after.messages()).containsEntry("a", edited);
	}

	@Test
	void onlyDeadLettersAreRedriven() {
		States.failedTwice(States.scheduled("a")).prepare(this.partition);
		PartitionDump before = this.partition.dump();
		Redriven redriven = this.store.redrive("a");
		assertThat(redriven).isEqualTo(new Redriven(redriven.nowMicros(), -1, 0, List.of()));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aDeadLetterThatIsScheduledTooIsOnlyRemovedFromDead() {
		States.alsoScheduled(States.dead()).prepare(this.partition);
		assertThat(this.store.redrive("a")).extracting(Redriven::firstDueMillis, Redriven::redriven)
			.containsExactly(-1L, 1);
		assertThat(this.partition.dump().scheduled()).containsEntry("a", DUE);
		assertThat(this.partition.dump().dead()).isEmpty();
		this.store.cancel("a", 50);
		this.store.schedule("a", DUE, 2);
		Entry held = this.store.take("holder").get(0);
		this.partition.command("ZADD", Key.DEAD, "3000", "a");
		assertThat(this.store.redrive("a").firstDueMillis()).isEqualTo(-1);
		assertThat(this.partition.dump().locations("a")).containsExactly(Key.ENTRIES);
		assertThat(this.store.acknowledge(held)).containsExactly(Settled.COUNTED);
	}

	@Test
	void aDiscardedMessageIsRemovedAndARepeatDoesNotRestoreIt() {
		States.dead().prepare(this.partition);
		assertThat(this.store.repeating(60).discard("unknown", "a")).isEqualTo(1);
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.partition.dump().done()).containsOnlyKeys("\0" + TestMessages.token(1),
				"discarded\0" + TestMessages.token(60));
		assertThat(this.store.schedule("a", DUE, 1).stored()).isEqualTo(Stored.ENDED);
		assertThat(this.store.schedule("a", DUE, 2).stored()).isEqualTo(Stored.CREATED);
	}

	@Test
	void onlyDeadLettersAreDiscarded() {
		States.failedTwice(States.pending("a")).prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.discard("a")).isZero();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aDeadLetterOfAnotherGroupDoesNotMatch() {
		this.store.schedule(TestMessages.message("a", DUE, "g", 1), TestMessages.message("b", DUE, 2));
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
		PartitionDump before = this.partition.dump();
		for (String id : List.of("a", "b")) {
			assertThat(this.letters.find(this.store.candidate(TestMessages.key(id).inGroup("h")))).isEmpty();
			assertThat(discard("h", id)).isZero();
			Redriven redriven = this.letters.redrive(this.store.partition(), CallToken.next(), TestStore.WINDOW, 1,
					List.of(new Redrive(new StoredId(id, "h"), Duration.ZERO)));
			assertThat(redriven).isEqualTo(new Redriven(redriven.nowMicros(), -1, 0, List.of()));
		}
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.letters.find(this.store.candidate(TestMessages.key("a").inGroup("g")))).isPresent();
		assertThat(discard("g", "a")).isOne();
	}

	private int discard(String group, String id) {
		return this.letters.discard(this.store.partition(), CallToken.next(), TestStore.WINDOW,
				List.of(new StoredId(id, group)));
	}

	@Test
	void theLargestBatchesAreOneCallEachAndAreCountedAgainByARepeat() {
		String[] ids = new String[100];
		for (int i = 0; i < ids.length; i++) {
			ids[i] = "id-" + i;
		}
		die(ids);
		TestStore call = this.store.repeating(60);
		assertThat(call.redrive(ids).redriven()).isEqualTo(ids.length);
		assertThat(call.redrive(ids).redriven()).isEqualTo(ids.length);
		for (Entry entry : this.store.take("holder")) {
			this.store.deadLetter(entry, "it broke");
		}
		assertThat(call.discard(ids)).isEqualTo(ids.length);
		assertThat(call.discard(ids)).isEqualTo(ids.length);
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void aRepeatedRedriveIgnoresMessagesDeadLetteredSince() {
		die("a", "b");
		TestStore call = this.store.repeating(60);
		assertThat(call.redrive("a", "b", "c").redriven()).isEqualTo(2);
		dieAgain();
		die("c");
		PartitionDump before = this.partition.dump();

		Redriven again = call.redrive("a", "b", "c");

		assertThat(again).isEqualTo(new Redriven(again.nowMicros(), again.nowMicros() / 1000, 2, List.of()));
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.redrive("a", "b", "c").redriven()).isEqualTo(3);
	}

	@Test
	void aRepeatedDiscardIgnoresMessagesDeadLetteredSince() {
		die("a", "b");
		TestStore call = this.store.repeating(60);
		assertThat(call.discard("a", "b", "c")).isEqualTo(2);
		this.store.schedule("a", DUE, 200);
		this.store.schedule("c", DUE, 201);
		dieAgain();
		PartitionDump before = this.partition.dump();

		assertThat(call.discard("a", "b", "c")).isEqualTo(2);

		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.discard("a", "b", "c")).isEqualTo(2);
	}

	/** As every script that adds windows. */
	@Test
	void redriveAndDiscardRemoveEndedWindows() {
		die("a");
		for (Runnable call : List.<Runnable>of(() -> this.store.redrive("a"), () -> this.store.discard("a"))) {
			States.windowsEnded(States.nothing()).prepare(this.partition);
			call.run();
			assertThat(this.partition.dump().done()).isNotEmpty().doesNotContainKeys("x", "y");
			dieAgain();
		}
	}

	private void die(String... ids) {
		for (int i = 0; i < ids.length; i++) {
			this.store.schedule(ids[i], DUE, 100 + i);
		}
		dieAgain();
	}

	private void dieAgain() {
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
	}

	private List<DeadLetter> list() {
		return this.store.list(MessageState.DEAD)
			.stream()
			.map((one) -> DeadLetters.letter(this.store.partition(), one.storedId(), one.atMillis(), one.failure()))
			.toList();
	}

}
