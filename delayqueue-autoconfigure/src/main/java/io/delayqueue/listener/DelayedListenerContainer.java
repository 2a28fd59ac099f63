package io.delayqueue.listener;

import java.time.Duration;

import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.AbandonedRuns;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs one listener: hands the messages of its queue to the annotated method. Restartable
 * at any time. Safe for use by several threads.
 */
public final class DelayedListenerContainer {

	private static final Log logger = LogFactory.getLog(DelayedListenerContainer.class);

	private final DelayedListenerEndpoint endpoint;

	private final QueueConsumer consumer;

	private final Duration stopTimeout;

	DelayedListenerContainer(DelayedListenerEndpoint endpoint, QueueConsumer consumer, Duration stopTimeout) {
		this.endpoint = endpoint;
		this.consumer = consumer;
		this.stopTimeout = stopTimeout;
	}

	/**
	 * The id, by which the registry finds this container.
	 * @return the id of the listener, by default its queue's name
	 */
	public String id() {
		return this.endpoint.id();
	}

	/**
	 * The queue whose messages are handled.
	 * @return the queue's name
	 */
	public String queue() {
		return this.endpoint.queue();
	}

	/**
	 * How many messages the listener wants to handle at once.
	 * @return 1 to 10,000; {@code null} for what the queue's settings say
	 */
	public @Nullable Integer concurrency() {
		return this.endpoint.sizes().concurrency();
	}

	/**
	 * Whether this container starts with the application.
	 * @return {@code false} if it waits to be started by hand
	 */
	public boolean isAutoStartup() {
		return this.endpoint.autoStartup();
	}

	/**
	 * Starts handling messages. Returns at once, also while Redis is away. Does nothing
	 * if it runs.
	 */
	public void start() {
		if (!isRunning()) {
			logger.info("Listener '" + id() + "' starts to handle the messages of queue '" + queue() + "'");
		}
		// Also while it seems to run: a stop that is under way would else swallow the
		// start
		this.consumer.start();
	}

	/**
	 * Stops reading, lets running handlers finish, and gives back what was not started.
	 * Returns when that is done, at the latest after the registry's stop timeout and the
	 * time that the last settlements take: a handler that still runs then has lost its
	 * message to a redelivery. Does nothing if it does not run.
	 */
	public void stop() {
		if (isRunning()) {
			logger.info("Listener '" + id() + "' stops to handle the messages of queue '" + queue() + "'");
			this.consumer.stop(this.stopTimeout);
		}
	}

	/**
	 * Stops reading in this process; what was read is handled. Outlasts a stop and a
	 * start. Does nothing if it is paused.
	 */
	public void pause() {
		this.consumer.pause();
	}

	/** Reads again. Does nothing if it is not paused. */
	public void resume() {
		this.consumer.resume();
	}

	/**
	 * Whether it was started and not stopped since.
	 * @return {@code true} if it runs, paused or not
	 */
	public boolean isRunning() {
		return this.consumer.isRunning();
	}

	/**
	 * Whether it is paused.
	 * @return {@code true} between {@link #pause} and {@link #resume}
	 */
	public boolean isPaused() {
		return this.consumer.isPaused();
	}

	/**
	 * How many messages this container handles at this moment.
	 * @return a number from 0 to the listener's concurrency, and what the groups add that
	 * have workers of their own
	 */
	public int inFlight() {
		return this.consumer.inFlight();
	}

	/**
	 * The calls of the annotated method that were abandoned, because they ran for longer
	 * than {@code max-processing-time}, and have not ended.
	 * @return them, as they are at this moment
	 */
	public AbandonedRuns abandoned() {
		return this.consumer.abandoned();
	}

	@Override
	public String toString() {
		return "DelayedListenerContainer[id=" + id() + ", queue=" + queue() + ", method=" + this.endpoint.method()
				+ "]";
	}

}
