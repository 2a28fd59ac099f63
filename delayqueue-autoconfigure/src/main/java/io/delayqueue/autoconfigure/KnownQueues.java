package io.delayqueue.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.SimilarNames;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The queues that are known at startup: those named in the properties, and those with a
 * listener in this process.
 *
 * @param settings the settings of each queue
 * @param named the queues named in the properties
 * @param listened returns the names of the queues with a listener; may be called as soon
 * as all listeners are registered
 */
record KnownQueues(Queues settings, Set<String> named,
		Supplier<Collection<String>> listened) implements AopInfrastructureBean {

	/**
	 * Returns the settings of the queues with a listener in this process, ordered by
	 * name.
	 */
	List<QueueSettings> consumed() {
		return new TreeSet<>(this.listened.get()).stream().map(this.settings::settings).toList();
	}

	/**
	 * Returns the settings of the queues that the properties name and that have no
	 * listener in this process, ordered by name.
	 */
	List<QueueSettings> notConsumed() {
		Set<String> names = new TreeSet<>(this.named);
		names.removeAll(this.listened.get());
		return names.stream().map(this.settings::settings).toList();
	}

	/**
	 * Returns the queues that the properties name, that have no listener in this process,
	 * and that are not the dead-letter queue of another of these queues, ordered by name.
	 */
	Set<String> unused() {
		Set<String> names = new TreeSet<>(this.named);
		names.removeAll(this.listened.get());
		this.named
			.forEach((name) -> names.remove(String.valueOf(this.settings.settings(name).ends().deadLetterQueue())));
		return names;
	}

	/** Returns the queue with a listener whose name is most similar to a name, if any. */
	Optional<String> nearest(String name) {
		return SimilarNames.of(name, this.listened.get()).stream().findFirst();
	}

}
