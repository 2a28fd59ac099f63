package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A group with a limit of one ready or pending message, or of three.
 */
abstract class OrderedGroup {

	static final String GROUP = "g";

	private static final GroupSettings THREE = new GroupSettings(0, false, false, 3, null, null, Map.of());

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	final TestStore strict = this.partition.store().with(GroupStates.STRICT);

	final TestStore three = this.partition.store().with(THREE);

	Entry current(String id) {
		StoredId stored = new StoredId(id, GroupStates.GROUP);
		String name = Reply.text(stored.toBytes());
		String record = this.partition.dump().messages().get(name);
		return new Entry(this.partition.dump().entries().get(name), stored, Reply.bytes(record),
				new FailureRecord(0, 0, 0, null), Entry.Special.NONE, -1);
	}

	/** Sweeps, reads and acknowledges until no message is due. */
	static List<String> handleAll(TestStore store) {
		List<String> handled = new ArrayList<>();
		for (List<Entry> taken = store.take("handler"); !taken.isEmpty(); taken = store.take("handler")) {
			taken.forEach((entry) -> handled.add(entry.id()));
			store.acknowledge(taken.toArray(Entry[]::new));
		}
		return handled;
	}

	static Swept sweep(TestStore store) {
		return store.sweep(100, 100, "");
	}

	/** Parks a message by hand. */
	void park(String id, String group, long dueMillis) {
		this.strict.schedule(TestMessages.message(id, dueMillis, group, 1));
		this.partition.command("ZADD", Key.PARKED, "0", GroupDump.member(group, dueMillis, id));
		this.partition.command("ZREM", Key.SCHEDULED, id);
	}

	void schedule(Object... idsAndDues) {
		for (int i = 0; i < idsAndDues.length; i += 2) {
			this.strict.schedule(message((String) idsAndDues[i], ((Number) idsAndDues[i + 1]).longValue()));
		}
	}

	/** Messages of the group, each with its slot in the quota. */
	static ExpectedDump messages(Object... idsAndDues) {
		ExpectedDump dump = new ExpectedDump();
		for (int i = 0; i < idsAndDues.length; i += 2) {
			String id = (String) idsAndDues[i];
			long due = ((Number) idsAndDues[i + 1]).longValue();
			dump.record(id, record(id, due)).grouped(id, due, GROUP);
		}
		return dump;
	}

	private static NewMessage message(String id, long dueMillis) {
		return TestMessages.message(id, dueMillis, GROUP, id.hashCode() & 0xfff);
	}

	static String token(String id) {
		return TestMessages.token(id.hashCode() & 0xfff);
	}

	static String record(String id, long dueMillis) {
		return "1%016d%s".formatted(dueMillis, Reply.text(message(id, dueMillis).envelope()));
	}

}
