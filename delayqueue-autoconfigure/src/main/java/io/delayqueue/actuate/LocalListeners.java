package io.delayqueue.actuate;

import java.util.List;

import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.queue.Queues;
import org.jspecify.annotations.Nullable;

/**
 * Describes the listeners of this process.
 */
public final class LocalListeners {

	private final @Nullable DelayedListenerRegistry registry;

	private final Queues queues;

	/**
	 * Creates the reports.
	 * @param registry the listeners, {@code null} if the process cannot have any
	 * @param queues the settings of their queues
	 */
	public LocalListeners(@Nullable DelayedListenerRegistry registry, Queues queues) {
		this.registry = registry;
		this.queues = queues;
	}

	@Nullable List<QueueDescriptor.Listener> of(String queue) {
		return (this.registry == null) ? null
				: this.registry.containers()
					.stream()
					.filter((container) -> container.queue().equals(queue))
					.map(this::describe)
					.toList();
	}

	private QueueDescriptor.Listener describe(DelayedListenerContainer container) {
		Integer own = container.concurrency();
		return new QueueDescriptor.Listener(container.id(), container.isRunning(), container.isPaused(),
				container.inFlight(), (own != null) ? own : this.queues.settings(container.queue()).concurrency());
	}

}
