package io.delayqueue.store;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;

/**
 * A group with a quota of two messages: more are refused, or the oldest is dropped.
 */
abstract class GroupOfTwo {

	static final String GROUP = "g";

	/** Two messages of a group wait, and two may run. */
	static final GroupSettings TWO = new GroupSettings(2, false, false, 2, null, null, Map.of());

	static final GroupSettings TWO_OR_DEAD = new GroupSettings(2, false, true, 2, null, null, Map.of());

	static final GroupSettings YOUNGEST_TWO = new GroupSettings(2, true, false, 2, null, null, Map.of());

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	final TestStore store = this.partition.store().with(TWO);

	final TestStore dropping = this.partition.store().with(YOUNGEST_TWO);

	static NewMessage message(String id, long dueMillis) {
		return TestMessages.message(id, dueMillis, GROUP, id.hashCode() & 0xfff);
	}

	static NewMessage replacing(NewMessage message) {
		return TestMessages.onDuplicate(DuplicatePolicy.replace(), TestMessages.message(message.id(), message.due(),
				new Envelope(CallToken.next(), GROUP, Map.of(), Reply.bytes("new"))));
	}

	/** Schedules messages that are due, each in a call of its own. */
	static List<Stored> stored(TestStore store, String... ids) {
		return Stream.of(ids).map((id) -> store.schedule(message(id, DUE)).get(0).stored()).toList();
	}

	long count(String group) {
		return this.store.groups().count(this.store.partition(), group);
	}

}
