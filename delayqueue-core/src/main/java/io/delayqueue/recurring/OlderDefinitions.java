package io.delayqueue.recurring;

import java.util.function.Supplier;

import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringCalls.Answer;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Older;
import io.delayqueue.store.RecurringCalls.Stop;

/**
 * Removes older definitions of a recurring schedule from other partitions: a new
 * definition with another group is stored in another partition than the definition that
 * it replaces. If an older definition was due when the new definition was stored, its due
 * occurrences are stored first. If an older definition is paused, the new definition is
 * paused, too. If another partition has a later definition with the key, the later
 * definition stays instead. Any process may repeat any of these steps. This class is
 * thread-safe.
 */
final class OlderDefinitions {

	private final ReportedSteps steps;

	private final RecurringCalls calls;

	private final DefinitionCarrier carrier;

	private final QueueDirectory directory;

	private final Wakeups wakeups;

	OlderDefinitions(ReportedSteps steps, RecurringCalls calls, QueueDirectory directory, Wakeups wakeups) {
		this.steps = steps;
		this.calls = calls;
		this.carrier = new DefinitionCarrier(calls);
		this.directory = directory;
		this.wakeups = wakeups;
	}

	/**
	 * Removes the older definitions with a key from all other partitions.
	 * @param home the partition of the definition
	 * @param epochs the epochs of the queue
	 * @param key the key of the definition
	 * @param storedMicros when the definition was stored, us since 1970
	 * @param generation the generation of the definition
	 * @return {@code false} if the definition in {@code home} was removed because another
	 * partition has a later definition, or was replaced meanwhile
	 */
	boolean remove(Partition home, Epochs epochs, String key, long storedMicros, String generation) {
		for (Partition other : epochs.partitions()) {
			if (other.equals(home)) {
				continue;
			}
			Changed changed = call(other, key,
					() -> this.calls.removeOlder(other, key, storedMicros, generation, Older.OLDER));
			if (changed == Changed.DUE) {
				// The later instants belong to the new definition
				this.steps.advance(other, epochs, key, storedMicros);
				changed = call(other, key,
						() -> this.calls.removeOlder(other, key, storedMicros, generation, Older.ADVANCED));
			}
			if (changed == Changed.PAUSED) {
				if (call(home, key, () -> this.calls.stop(home, key, generation, Stop.PAUSE)) == Changed.DIFFERS) {
					// Another process has replaced the definition: the pause of the older
					// definition passes to the replacement
					return false;
				}
				changed = call(other, key,
						() -> this.calls.removeOlder(other, key, storedMicros, generation, Older.PAUSED));
			}
			if (changed == Changed.DIFFERS) {
				call(home, key, () -> this.calls.stop(home, key, generation, Stop.DELETE));
				return false;
			}
		}
		return true;
	}

	private Changed call(Partition partition, String key, Supplier<Answer> call) {
		Answer answer = this.carrier.call(partition, key, () -> this.directory.refreshFrom(partition), call);
		if (answer.unparked() > 0) {
			this.wakeups.due(partition, 0);
		}
		return answer.changed();
	}

}
