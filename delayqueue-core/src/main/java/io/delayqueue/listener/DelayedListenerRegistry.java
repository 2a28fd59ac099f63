package io.delayqueue.listener;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.delayqueue.DurationText;
import io.delayqueue.RecurringSchedule;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.Assert;

/**
 * Holds the containers of all listeners. Starts and stops the containers with the
 * application, and individually on request. Thread-safe.
 *
 * <p>
 * Containers with auto-startup start late and stop early in the lifecycle of the
 * application (phase {@link #PHASE}); all containers stop concurrently. After a stop, the
 * registry can be started again: this second start includes the containers without
 * auto-startup that were running at the stop.
 */
public final class DelayedListenerRegistry implements SmartLifecycle, BeanFactoryAware, AopInfrastructureBean {

	/** The lifecycle phase in which containers are started and stopped. */
	public static final int PHASE = Integer.MAX_VALUE - 100;

	private static final Log logger = LogFactory.getLog(DelayedListenerRegistry.class);

	private final Duration phaseTimeout;

	private final boolean autoStartup;

	private final Executor stoppers = new SimpleAsyncTaskExecutor("delayqueue-stop-");

	private final List<RecurringSchedule> declared = new CopyOnWriteArrayList<>();

	private final Map<String, DelayedListenerContainer> containers = new ConcurrentSkipListMap<>();

	private final Set<DelayedListenerContainer> runningWithoutAutoStartup = ConcurrentHashMap.newKeySet();

	/** Guarded by this. */
	private Runnable onDeclared = () -> {
	};

	private volatile boolean started;

	private @Nullable BeanFactory beanFactory;

	/**
	 * Creates a registry without containers.
	 * @param phaseTimeout the time that Spring waits for a phase to stop
	 * ({@code spring.lifecycle.timeout-per-shutdown-phase}), more than 0. A container
	 * waits for its running handlers for 9/10 of that time, so that the connection to
	 * Redis is still open when the last messages are settled
	 * @param autoStartup whether the registry starts with the application; otherwise the
	 * application calls {@link #start()}
	 */
	public DelayedListenerRegistry(Duration phaseTimeout, boolean autoStartup) {
		Assert.isTrue(!phaseTimeout.isNegative() && !phaseTimeout.isZero(),
				() -> "phaseTimeout is " + DurationText.of(phaseTimeout) + " but must be more than 0");
		this.phaseTimeout = phaseTimeout;
		this.autoStartup = autoStartup;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Registers the listener methods of an object that is no bean, with a container each.
	 * Starts the containers if the application has been started, otherwise with it.
	 * @param listener the object, which has methods with
	 * {@link io.delayqueue.DelayedListener}
	 * @throws IllegalArgumentException if the object has no such method
	 * @throws DelayedListenerDefinitionException if a method or an attribute has a fault,
	 * for example because the queue has a listener already; then nothing is registered
	 */
	public void register(Object listener) {
		postProcessor().register(listener);
	}

	/**
	 * Removes the listener methods of an object that {@link #register} has registered,
	 * and waits until their containers have stopped, at most for the timeout of Spring's
	 * phase. This method does nothing if the object is not registered.
	 * @param listener the object
	 */
	public void unregister(Object listener) {
		postProcessor().unregister(listener);
	}

	private DelayedListenerAnnotationBeanPostProcessor postProcessor() {
		Assert.state(this.beanFactory != null, "A BeanFactory is required to register listeners");
		return this.beanFactory.getBean(DelayedListenerAnnotationBeanPostProcessor.class);
	}

	/**
	 * Returns the recurring schedules that listener methods declare.
	 * @return a copy
	 */
	public List<RecurringSchedule> declared() {
		return List.copyOf(this.declared);
	}

	/**
	 * Sets the action that runs when the first recurring schedule is declared, or at once
	 * if a recurring schedule has been declared already.
	 * @param action the action, which must return at once
	 */
	public synchronized void onDeclared(Runnable action) {
		this.onDeclared = action;
		if (!this.declared.isEmpty()) {
			action.run();
		}
	}

	synchronized void declare(List<RecurringSchedule> schedules) {
		boolean isFirst = this.declared.isEmpty() && !schedules.isEmpty();
		this.declared.addAll(schedules);
		if (isFirst) {
			this.onDeclared.run();
		}
	}

	/**
	 * Returns all containers.
	 * @return a copy, in the order of their ids
	 */
	public List<DelayedListenerContainer> containers() {
		return List.copyOf(this.containers.values());
	}

	/**
	 * Finds a container.
	 * @param id the listener's id, by default its queue's name
	 * @return the container; empty if no listener has this id
	 */
	public Optional<DelayedListenerContainer> container(String id) {
		return Optional.ofNullable(this.containers.get(id));
	}

	/**
	 * Starts one container, regardless of its auto-startup.
	 * @param id the listener's id
	 * @throws IllegalArgumentException if no listener has this id
	 */
	public void start(String id) {
		required(id).start();
	}

	/**
	 * Stops one container and waits for it, as {@link DelayedListenerContainer#stop}
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
	 * Ends the pause of one container.
	 * @param id the listener's id
	 * @throws IllegalArgumentException if no listener has this id
	 */
	public void resume(String id) {
		required(id).resume();
	}

	/** Starts the containers that have auto-startup or were running at the last stop. */
	@Override
	public synchronized void start() {
		this.containers.values()
			.stream()
			.filter((container) -> container.isAutoStartup() || this.runningWithoutAutoStartup.contains(container))
			.forEach(DelayedListenerContainer::start);
		this.runningWithoutAutoStartup.clear();
		this.started = true;
	}

	/** Stops all containers concurrently, and waits until they have stopped. */
	@Override
	public void stop() {
		stopAll().join();
	}

	/**
	 * Stops all containers concurrently, and waits until they have stopped, at most for
	 * the timeout of Spring's phase. This method waits for the containers, because Spring
	 * does not wait for the callback if a bean that depends on this registry has stopped
	 * before.
	 * @param callback called when all containers have stopped or the timeout has passed
	 */
	@Override
	public void stop(Runnable callback) {
		awaitStop(stopAll());
		callback.run();
	}

	/**
	 * Returns whether the registry or a container is running.
	 * @return {@code true} between a start and a stop, and while any container runs
	 */
	@Override
	public boolean isRunning() {
		return this.started || this.containers.values().stream().anyMatch(DelayedListenerContainer::isRunning);
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/** The time for which each container waits for its running handlers. */
	Duration stopTimeout() {
		return this.phaseTimeout.multipliedBy(9).dividedBy(10);
	}

	/** Adds a container, and starts it if the registry has been started already. */
	synchronized void add(DelayedListenerContainer container) {
		DelayedListenerContainer other = this.containers.putIfAbsent(container.id(), container);
		Assert.state(other == null, () -> "A container with id '" + container.id() + "' exists already, " + other
				+ ": this indicates a bug");
		if (this.started && container.isAutoStartup()) {
			container.start();
		}
	}

	/**
	 * Removes recurring schedules and containers of a bean or of a child context, and
	 * waits until the containers have stopped, at most for the timeout of Spring's phase.
	 */
	void remove(List<RecurringSchedule> schedules, List<DelayedListenerContainer> containers) {
		CompletableFuture<Void> stopped;
		synchronized (this) {
			this.declared.removeAll(schedules);
			containers.forEach((container) -> this.containers.remove(container.id(), container));
			stopped = stop(containers);
		}
		awaitStop(stopped);
	}

	/**
	 * Waits at most for the timeout of Spring's phase. Does not use the timer of
	 * {@link CompletableFuture}: its thread would keep the class loader of the first
	 * context that uses the timer.
	 */
	private void awaitStop(CompletableFuture<Void> stopped) {
		try {
			stopped.get(this.phaseTimeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException late) {
			logger.debug("Not all listeners have stopped within " + this.phaseTimeout, late);
		}
		catch (ExecutionException failed) {
			throw new CompletionException(failed.getCause());
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized CompletableFuture<Void> stopAll() {
		this.started = false;
		return stop(this.containers.values());
	}

	private CompletableFuture<Void> stop(Collection<DelayedListenerContainer> containers) {
		return CompletableFuture.allOf(containers.stream()
			.filter(DelayedListenerContainer::isRunning)
			.map(this::stopAsync)
			.toArray(CompletableFuture<?>[]::new));
	}

	private CompletableFuture<Void> stopAsync(DelayedListenerContainer container) {
		if (!container.isAutoStartup()) {
			this.runningWithoutAutoStartup.add(container);
		}
		return CompletableFuture.runAsync(() -> {
			try {
				container.stop();
			}
			catch (RuntimeException ex) {
				logger.error("Listener '" + container.id() + "' of queue '" + container.queue()
						+ "' failed to stop; its messages are redelivered", ex);
			}
		}, this.stoppers);
	}

	private DelayedListenerContainer required(String id) {
		return container(id).orElseThrow(() -> new IllegalArgumentException(
				"No listener has the id '" + id + "'; the ids are " + this.containers.keySet()));
	}

}
