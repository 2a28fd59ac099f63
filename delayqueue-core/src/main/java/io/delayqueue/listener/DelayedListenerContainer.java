package io.delayqueue.listener;

import java.time.Duration;

import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.AbandonedRuns;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs one listener: reads the messages of its queue and calls the annotated method. Can
 * be stopped and started again at any time. Thread-safe.
 */
public final class DelayedListenerContainer {

	private static final Log logger = LogFactory.getLog(DelayedListenerContainer.class);

	private final DelayedListenerEndpoint endpoint;

	private final QueueConsumer consumer;

	private final Duration stopTimeout;

	private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	DelayedListenerContainer(DelayedListenerEndpoint endpoint, QueueConsumer consumer, Duration stopTimeout) {
		this.endpoint = endpoint;
		this.consumer = consumer;
		this.stopTimeout = stopTimeout;
	}

	/**
	 * Returns the id of this container in the registry.
	 * @return the id of the listener, by default its queue's name
	 */
	public String id() {
		return this.endpoint.id();
	}

	/**
	 * Returns the queue whose messages are handled.
	 * @return the queue's name
	 */
	public String queue() {
		return this.endpoint.queue().name();
	}

	/**
	 * Returns the listener's own limit of messages that are handled at once.
	 * @return 1 to 10,000; {@code null} for the queue's setting
	 */
	public @Nullable Integer concurrency() {
		return this.endpoint.concurrency();
	}

	/**
	 * Returns for how long the annotated method may run.
	 * @return the timeout of the listener, else of the queue
	 */
	public Duration timeout() {
		return this.endpoint.settings().retry().timeout();
	}

	/**
	 * Returns whether this container starts with the application.
	 * @return {@code false} if it has to be started explicitly
	 */
	public boolean isAutoStartup() {
		return this.endpoint.attributes().autoStartup();
	}

	/**
	 * Starts handling messages. Returns at once, even if Redis is unavailable. Does
	 * nothing if the container is running.
	 */
	public void start() {
		if (!isRunning()) {
			logger.info("Listener '" + id() + "' starts handling the messages of queue '" + queue() + "'");
		}
		// The threads of the consumer inherit the class loader of the application, also
		// if
		// a request starts the consumer
		ClassLoader ofTheCaller = Thread.currentThread().getContextClassLoader();
		Thread.currentThread().setContextClassLoader(this.classLoader);
		try {
			// Start without checking isRunning(): the consumer still runs while it stops,
			// and the check would then skip the start
			this.consumer.start();
		}
		finally {
			Thread.currentThread().setContextClassLoader(ofTheCaller);
		}
	}

	/**
	 * Stops reading, waits for running handlers, and releases the messages whose handling
	 * has not begun. Waits at most for the registry's stop timeout and, in addition, for
	 * the last settlements. If a handler is still running after this wait, its message is
	 * redelivered. Does nothing if the container is not running.
	 */
	public void stop() {
		if (isRunning()) {
			logger.info("Listener '" + id() + "' stops handling the messages of queue '" + queue() + "'");
			this.consumer.stop(this.stopTimeout);
		}
	}

	/**
	 * Stops reading in this process. The container still handles the messages that it has
	 * already read. The pause remains in effect over a stop and a start. Does nothing if
	 * the container is paused.
	 */
	public void pause() {
		this.consumer.pause();
	}

	/** Ends a pause: the container reads again. Does nothing without a pause. */
	public void resume() {
		this.consumer.resume();
	}

	/**
	 * Returns whether this container is running.
	 * @return {@code true} between {@link #start} and {@link #stop}, paused or not
	 */
	public boolean isRunning() {
		return this.consumer.isRunning();
	}

	/**
	 * Returns whether this container is paused.
	 * @return {@code true} between {@link #pause} and {@link #resume}
	 */
	public boolean isPaused() {
		return this.consumer.isPaused();
	}

	/**
	 * Returns the number of messages that this container handles at this moment.
	 * @return a number from 0 to the listener's concurrency, plus the messages of groups
	 * with workers of their own
	 */
	public int inFlight() {
		return this.consumer.inFlight();
	}

	/**
	 * Returns the calls of the annotated method that were abandoned because they ran for
	 * longer than the timeout, and that have not ended.
	 * @return the abandoned calls at this moment
	 */
	public AbandonedRuns abandoned() {
		return this.consumer.abandoned();
	}

	/**
	 * Whether due messages wait because of the limits of the queue.
	 * @return {@code true} if a limit has delayed messages in the last two minutes
	 */
	public boolean isThrottled() {
		return this.consumer.isThrottled();
	}

	@Override
	public String toString() {
		return "DelayedListenerContainer[id=" + id() + ", queue=" + queue() + ", method=" + this.endpoint.method()
				+ "]";
	}

}
