package io.delayqueue.lifecycle;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The threads that recurring turns share: one that decides when, and a small pool that
 * runs them, so that a turn which hangs on a node that does not answer delays no other
 * one. Daemons, and the pool's end when there is nothing to do.
 */
public final class TurnThreads implements AutoCloseable {

	private static final int IDLE_SECONDS = 30;

	private final ThreadPoolTaskScheduler timer = new ThreadPoolTaskScheduler();

	private final ThreadPoolTaskExecutor calls = new ThreadPoolTaskExecutor();

	/**
	 * Starts the threads.
	 * @param name what their names begin with
	 * @param most how many turns may run at once
	 */
	public TurnThreads(String name, int most) {
		this.timer.setThreadNamePrefix(name + "-timer-");
		this.timer.setDaemon(true);
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.initialize();
		this.calls.setThreadNamePrefix(name + "-");
		this.calls.setDaemon(true);
		this.calls.setCorePoolSize(0);
		this.calls.setMaxPoolSize(most);
		this.calls.setQueueCapacity(0);
		this.calls.setKeepAliveSeconds(IDLE_SECONDS);
		this.calls.initialize();
	}

	/**
	 * Creates what has no turn before one is asked for.
	 * @param name what it is, for the log and for health
	 * @param body one turn; says how long to wait for the next
	 * @return the new turn
	 */
	public RecurringTurn turn(String name, BackgroundLoop.Body body) {
		return new RecurringTurn(name, body, this.timer.getScheduledExecutor(), this.calls);
	}

	/** Ends the threads; turns that run are interrupted. */
	@Override
	public void close() {
		this.timer.destroy();
		this.calls.destroy();
	}

}
