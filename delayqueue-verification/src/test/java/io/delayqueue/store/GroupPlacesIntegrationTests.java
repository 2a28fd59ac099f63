package io.delayqueue.store;

import java.util.Locale;
import java.util.Map;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupMessage;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.Groups.Page;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/** Which message gets a freed active slot of a strict group. */
class GroupPlacesIntegrationTests {

	private static final GroupSettings STRICT = new GroupSettings(3, true, false, 1, null, null, Map.of());

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store().with(STRICT);

	@Test
	void messagesRemovedTogetherDoNotUnparkEachOther() {
		headAndParked();

		Purged purged = this.store.purgeGroup("g", "a", "b", "c");

		assertThat(purged).isEqualTo(new Purged(3, 2, 1, 0));
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	/**
	 * At once: a sweep searches only a few groups for messages that were not unparked.
	 */
	@Test
	void theNextIsUnparkedWhenTheUnparkedOneIsCancelled() {
		headIsHandled();

		this.store.cancel("b", 50);

		assertThat(this.store.take("second")).extracting(Entry::id).containsExactly("c");
	}

	/** The run has removed the record, and then stopped. */
	@Test
	void theRepeatOfACancelThatNamesNoGroupCompletesAStoppedRun() {
		this.store.schedule(TestMessages.message("a", FAR, "g", 1));
		this.partition.command("HDEL", Key.MESSAGES, "a\u0001g");

		this.store.cancel("a", 50);

		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().build());
	}

	@Test
	void theNextIsUnparkedWhenTheUnparkedOneIsRescheduled() {
		headIsHandled();

		assertThat(this.store.reschedule("b", FAR).moved()).isEqualTo(Moved.RESCHEDULED);

		assertThat(this.store.take("second")).extracting(Entry::id).containsExactly("c");
	}

	@Test
	void theNextIsUnparkedWhenTheUnparkedOneIsReplaced() {
		headIsHandled();

		NewMessage later = TestMessages.message("b", FAR, "g", 7);
		NewMessage replacing = new NewMessage("b", later.due(), "g", Expiry.NEVER, DuplicatePolicy.replace(),
				later.envelope());
		assertThat(this.store.schedule(replacing).get(0).stored()).isEqualTo(Stored.REPLACED);

		assertThat(this.store.take("second")).extracting(Entry::id).containsExactly("c");
	}

	@Test
	void theNextIsUnparkedWhenTheUnparkedOneIsDropped() {
		headIsHandled();
		this.store.schedule(TestMessages.message("d", FAR, "g", 4));

		assertThat(this.store.schedule(TestMessages.message("e", FAR, "g", 5)).get(0).dropped()).containsExactly("b");

		assertThat(this.store.take("second")).extracting(Entry::id).containsExactly("c");
	}

	@Test
	@ResourceLock(Resources.LOCALE)
	void aPageContinuesWithAnyDigitsOfTheLocale() {
		this.store.schedule(TestMessages.message("a", FAR, "g", 1), TestMessages.message("b", FAR, "g", 2));
		Locale before = Locale.getDefault();
		Locale.setDefault(Locale.forLanguageTag("ar-EG"));
		try {
			Page first = this.store.groups().list(this.store.partition(), "g", null, 1);
			Page second = this.store.groups().list(this.store.partition(), "g", first.next(), 1);
			assertThat(second.messages()).extracting(GroupMessage::id).containsExactly("b");
		}
		finally {
			Locale.setDefault(before);
		}
	}

	/** The head is pending, two are parked behind it. */
	private Entry headAndParked() {
		this.store.schedule(TestMessages.message("a", DUE, "g", 1), TestMessages.message("b", DUE + 1, "g", 2),
				TestMessages.message("c", DUE + 2, "g", 3));
		Entry head = this.store.take("first").get(0);
		assertThat(head.id()).isEqualTo("a");
		return head;
	}

	/** The second is due to be swept, the third is parked. */
	private void headIsHandled() {
		Entry head = headAndParked();
		this.store.acknowledge(head);
		assertThat(this.partition.dump().groups().isParked("c\1g")).isTrue();
		assertThat(this.partition.dump().scheduled()).containsOnlyKeys("b\1g");
	}

}
