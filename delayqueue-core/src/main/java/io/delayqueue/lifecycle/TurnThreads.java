package io.delayqueue.lifecycle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The threads that recurring turns share: one timer thread, and a small pool that runs
 * the turns, so that a turn that hangs on an unresponsive node does not delay another.
 * All are daemon threads, and those of the pool end when they are idle. Health sees each
 * turn from its creation until it is stopped.
 */
public final class TurnThreads implements AutoCloseable {

	private static final int IDLE_SECONDS = 30;

	private final LoopRegistry loops;

	private final List<RecurringTurn> turns = new CopyOnWriteArrayList<>();

	private final ThreadPoolTaskScheduler timer = new ThreadPoolTaskScheduler();

	private final ThreadPoolTaskExecutor calls = new ThreadPoolTaskExecutor();

	/**
	 * Starts the threads.
	 * @param name the prefix of their names
	 * @param most the most turns that run at once
	 * @param loops the registry of background activities
	 */
	public TurnThreads(String name, int most, LoopRegistry loops) {
		this.loops = loops;
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
	 * Creates a task whose first turn must be requested.
	 * @param name its name, for the log and for health
	 * @param body one turn; returns how long to wait for the next
	 * @return the new task
	 */
	public RecurringTurn turn(String name, BackgroundLoop.Body body) {
		RecurringTurn turn = new RecurringTurn(name, body, this.timer.getScheduledExecutor(), this.calls, this::forget);
		this.turns.add(turn);
		this.loops.add(turn, turn::status);
		return turn;
	}

	private void forget(RecurringTurn stopped) {
		this.turns.remove(stopped);
		this.loops.remove(stopped);
	}

	/** Stops all turns and ends the threads; running turns are interrupted. */
	@Override
	public void close() {
		this.turns.forEach(RecurringTurn::stop);
		this.timer.destroy();
		this.calls.destroy();
	}

}
