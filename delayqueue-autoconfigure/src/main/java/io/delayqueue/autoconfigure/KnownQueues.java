package io.delayqueue.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;

/**
 * The queues that this process is known to use before it uses them.
 *
 * @param settings the settings of each queue
 * @param named those that the properties name
 * @param listened those that have a listener; may be asked for once all listeners are
 * known
 */
record KnownQueues(Queues settings, Set<String> named, Supplier<Collection<String>> listened) {

	/** Those that have a listener, in the order of their names. */
	List<QueueSettings> consumed() {
		return new TreeSet<>(this.listened.get()).stream().map(this.settings::settings).toList();
	}

	/** The others, in the order of their names. */
	List<QueueSettings> others() {
		Set<String> others = new TreeSet<>(this.named);
		others.removeAll(this.listened.get());
		return others.stream().map(this.settings::settings).toList();
	}

}
