package io.delayqueue.listener;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.Assert;

/**
 * Knows the containers of all listeners, starts and stops them with the application, and
 * each one by hand. Safe for use by several threads.
 *
 * <p>
 * With the application, the containers that have auto-startup are started after nearly
 * everything else and stopped before it, all at the same time. A stop is no end: a start
 * after it starts them again, and also those that were started by hand and were running
 * when the stop came.
 */
public final class DelayedListenerRegistry implements SmartLifecycle {

	/** The phase in which containers are started and stopped. */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	private static final Log logger = LogFactory.getLog(DelayedListenerRegistry.class);

	private final Duration phaseTimeout;

	private final Executor stoppers = new SimpleAsyncTaskExecutor("delayqueue-stop-");

	private final Map<String, DelayedListenerContainer> containers = new ConcurrentSkipListMap<>();

	private final Set<DelayedListenerContainer> stoppedWhileStartedByHand = ConcurrentHashMap.newKeySet();

	private volatile boolean started;

	/**
	 * Creates a registry without containers.
	 * @param phaseTimeout how long Spring waits for a phase to stop, which is
	 * {@code spring.lifecycle.timeout-per-shutdown-phase}; more than 0. A container waits
	 * for its running handlers for 9/10 of it, so that the connection to Redis is still
	 * there when the last messages are settled
	 */
	public DelayedListenerRegistry(Duration phaseTimeout) {
		Assert.isTrue(!phaseTimeout.isNegative() && !phaseTimeout.isZero(),
				() -> "phaseTimeout is " + phaseTimeout + " but must be more than 0");
		this.phaseTimeout = phaseTimeout;
	}

	/**
	 * All containers.
	 * @return a copy, in the order of their ids
	 */
	public List<DelayedListenerContainer> containers() {
		return List.copyOf(this.containers.values());
	}

	/**
	 * Finds a container.
	 * @param id the listener's id, by default its queue's name
	 * @return the container, empty if no listener has this id
	 */
	public Optional<DelayedListenerContainer> container(String id) {
		return Optional.ofNullable(this.containers.get(id));
	}

	/**
	 * Starts one container, whether it has auto-startup or not.
	 * @param id the listener's id
	 * @throws IllegalArgumentException if no listener has this id
	 */
	public void start(String id) {
		required(id).start();
	}

	/**
	 * Stops one container, and waits for it as {@link DelayedListenerContainer#stop}
	 * does.
	 * @param id the listener's id
	 * @throws IllegalArgumentException if no listener has this id
	 */
	public void stop(String id) {
		required(id).stop();
	}

	/**
	 * Pauses one container.
	 * @param id the listener's id
	 * @throws IllegalArgumentException if no listener has this id
	 */
	public void pause(String id) {
		required(id).pause();
	}

	/**
	 * Lets one container go on after a pause.
	 * @param id the listener's id
	 * @throws IllegalArgumentException if no listener has this id
	 */
	public void resume(String id) {
		required(id).resume();
	}

	/** Starts the containers that have auto-startup or ran before the last stop. */
	@Override
	public synchronized void start() {
		this.containers.values()
			.stream()
			.filter((container) -> container.isAutoStartup() || this.stoppedWhileStartedByHand.contains(container))
			.forEach(DelayedListenerContainer::start);
		this.stoppedWhileStartedByHand.clear();
		this.started = true;
	}

	/** Stops all containers at the same time, and waits until they have stopped. */
	@Override
	public void stop() {
		stopAll().join();
	}

	/**
	 * Stops all containers at the same time, and waits until they have stopped, for as
	 * long as Spring would at most. It waits itself, because Spring does not wait for the
	 * callback once a bean that depends on this one has stopped.
	 * @param callback called when all have stopped or the time is over
	 */
	@Override
	public void stop(Runnable callback) {
		stopAll().completeOnTimeout(null, this.phaseTimeout.toMillis(), TimeUnit.MILLISECONDS).join();
		callback.run();
	}

	/**
	 * Whether there is something to stop.
	 * @return {@code true} between a start and a stop, and while any container runs
	 */
	@Override
	public boolean isRunning() {
		return this.started || this.containers.values().stream().anyMatch(DelayedListenerContainer::isRunning);
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/** How long each container waits for its running handlers. */
	Duration stopTimeout() {
		return this.phaseTimeout.multipliedBy(9).dividedBy(10);
	}

	/** Adds a container, and starts it if it comes late. */
	synchronized void add(DelayedListenerContainer container) {
		DelayedListenerContainer other = this.containers.putIfAbsent(container.id(), container);
		Assert.state(other == null,
				() -> "There is a container with id '" + container.id() + "', " + other + ": this indicates a bug");
		if (this.started && container.isAutoStartup()) {
			container.start();
		}
	}

	private synchronized CompletableFuture<Void> stopAll() {
		this.started = false;
		return CompletableFuture.allOf(this.containers.values()
			.stream()
			.filter(DelayedListenerContainer::isRunning)
			.map(this::stopApart)
			.toArray(CompletableFuture<?>[]::new));
	}

	private CompletableFuture<Void> stopApart(DelayedListenerContainer container) {
		if (!container.isAutoStartup()) {
			this.stoppedWhileStartedByHand.add(container);
		}
		return CompletableFuture.runAsync(() -> {
			try {
				container.stop();
			}
			catch (RuntimeException ex) {
				logger.error("Listener '" + container.id() + "' of queue '" + container.queue()
						+ "' did not stop as it should; its messages are redelivered", ex);
			}
		}, this.stoppers);
	}

	private DelayedListenerContainer required(String id) {
		return container(id).orElseThrow(() -> new IllegalArgumentException(
				"There is no listener with id '" + id + "', but " + this.containers.keySet()));
	}

}
