package io.delayqueue.lifecycle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The threads that recurring turns and loops share: one timer thread, a small pool that
 * runs the turns, so that a turn that hangs on an unresponsive node does not delay
 * another, and a thread for each loop that is not idle. The threads of the pools end when
 * they are idle. Health sees each turn from its creation until it is stopped.
 */
public final class TurnThreads implements AutoCloseable {

	private static final int IDLE_SECONDS = 10;

	private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LoopRegistry loops;

	private final List<RecurringTurn> turns = new CopyOnWriteArrayList<>();

	private final ThreadPoolTaskScheduler timer = new ThreadPoolTaskScheduler();

	private final ThreadPoolTaskExecutor calls;

	private final ThreadPoolTaskExecutor loopThreads;

	/**
	 * Starts daemon threads.
	 * @param name the prefix of their names
	 * @param most the most turns that run at once
	 * @param loops the registry of background activities
	 */
	public TurnThreads(String name, int most, LoopRegistry loops) {
		this(name, most, loops, true);
	}

	/**
	 * Starts the threads.
	 * @param name the prefix of their names
	 * @param most the most turns that run at once
	 * @param loops the registry of background activities
	 * @param daemon whether the process may end before {@link #close}
	 */
	public TurnThreads(String name, int most, LoopRegistry loops, boolean daemon) {
		this.loops = loops;
		this.timer.setThreadNamePrefix(name + "-timer-");
		this.timer.setDaemon(daemon);
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.initialize();
		this.calls = pool(name + "-", most);
		this.loopThreads = pool(name + "-loop-", Integer.MAX_VALUE);
		// On close, the last run of a loop is not interrupted
		this.loopThreads.setWaitForTasksToCompleteOnShutdown(true);
	}

	private static ThreadPoolTaskExecutor pool(String name, int most) {
		ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
		pool.setThreadNamePrefix(name);
		pool.setDaemon(true);
		pool.setCorePoolSize(0);
		pool.setMaxPoolSize(most);
		pool.setQueueCapacity(0);
		pool.setKeepAliveSeconds(IDLE_SECONDS);
		pool.initialize();
		return pool;
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

	/**
	 * Creates a loop that is not started, and has a thread while it is not idle.
	 * @param name the name of its thread, for the log and for health
	 * @param body the code to run
	 * @return the new loop
	 */
	public BackgroundLoop loop(String name, BackgroundLoop.Body body) {
		return new BackgroundLoop(name, body,
				new BackgroundLoop.Shared(this.timer.getScheduledExecutor(), this.loopThreads, LINGER_NANOS));
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
		this.loopThreads.destroy();
	}

}
