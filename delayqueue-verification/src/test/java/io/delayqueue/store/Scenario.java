package io.delayqueue.store;

import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;

import io.delayqueue.store.ReadyMessages.Entry;

/**
 * One call of the store in one state of a partition.
 *
 * @param name the call and the state
 * @param given creates the state
 * @param when the call
 */
record Scenario(String name, Given given, When when) {

	/** Creates a state. */
	@FunctionalInterface
	interface Given {

		/**
		 * Prepares a partition.
		 * @param partition an empty partition
		 * @return the entries that a consumer holds
		 */
		List<Entry> prepare(TestPartition partition);

		/**
		 * This state, followed by another step.
		 * @param next continues from the partition and the held entries
		 * @return the state after both
		 */
		default Given andThen(BiFunction<TestPartition, List<Entry>, List<Entry>> next) {
			return (partition) -> next.apply(partition, prepare(partition));
		}

	}

	/** Makes one call. */
	@FunctionalInterface
	interface When {

		/**
		 * Calls the store.
		 * @param store the store
		 * @param held the entries that the consumer holds
		 * @return the answer, without values that differ from run to run
		 */
		Object call(TestStore store, List<Entry> held);

	}

	/** The script that runs: the scenario's name begins with its name. */
	StoreScript script() {
		String script = this.name.substring(0, this.name.indexOf(':')).replace('-', '_');
		return StoreScript.valueOf(script.toUpperCase(Locale.ROOT));
	}

	/** The content of Redis after a complete run of the call. */
	PartitionDump end() {
		try (TestPartition partition = TestPartition.shared()) {
			this.when.call(partition.store(), this.given.prepare(partition));
			return partition.dump();
		}
	}

	/** Whether it has messages with a group and an expiry. */
	boolean hasGroups() {
		try (TestPartition partition = TestPartition.shared()) {
			List<Entry> held = this.given.prepare(partition);
			if (hasGroups(partition.dump())) {
				return true;
			}
			this.when.call(partition.store(), held);
			return hasGroups(partition.dump());
		}
	}

	/** Whether a partition holds messages with a group and an expiry. */
	static boolean hasGroups(PartitionDump dump) {
		return !dump.groups().ids().isEmpty() || !dump.expiries().isEmpty();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
