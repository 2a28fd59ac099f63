package io.delayqueue.lifecycle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The threads that recurring turns and loops share: one timer thread, and a pool that
 * runs the turns, so that a turn that hangs on an unresponsive node does not delay
 * another, and the loops that are not idle. All are daemon threads, and those of the pool
 * end when they are idle. Health sees each turn from its creation until it is stopped.
 */
public final class TurnThreads implements AutoCloseable {

	private static final int IDLE_SECONDS = 10;

	private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LoopRegistry loops;

	private final List<RecurringTurn> turns = new CopyOnWriteArrayList<>();

	private final ThreadPoolTaskScheduler timer;

	private final ThreadPoolTaskExecutor pool;

	private final boolean ownsThreads;

	/**
	 * Starts the threads.
	 * @param name the prefix of their names
	 * @param most the most turns and loops that run at once
	 * @param loops the registry of background activities
	 */
	public TurnThreads(String name, int most, LoopRegistry loops) {
		this(loops, new ThreadPoolTaskScheduler(), new ThreadPoolTaskExecutor(), true);
		this.timer.setThreadNamePrefix(name + "-timer-");
		this.timer.setDaemon(true);
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.initialize();
		this.pool.setThreadNamePrefix(name + "-");
		this.pool.setDaemon(true);
		this.pool.setCorePoolSize(0);
		this.pool.setMaxPoolSize(most);
		this.pool.setQueueCapacity(0);
		this.pool.setKeepAliveSeconds(IDLE_SECONDS);
		this.pool.initialize();
	}

	private TurnThreads(LoopRegistry loops, ThreadPoolTaskScheduler timer, ThreadPoolTaskExecutor pool,
			boolean ownsThreads) {
		this.loops = loops;
		this.timer = timer;
		this.pool = pool;
		this.ownsThreads = ownsThreads;
	}

	/**
	 * The same threads for other turns, which end separately.
	 * @return these threads, of which {@link #close} stops only its own turns
	 */
	public TurnThreads share() {
		return new TurnThreads(this.loops, this.timer, this.pool, false);
	}

	/**
	 * Creates a task whose first turn must be requested.
	 * @param name its name, for the log and for health
	 * @param body one turn; returns how long to wait for the next
	 * @return the new task
	 */
	public RecurringTurn turn(String name, BackgroundLoop.Body body) {
		RecurringTurn turn = new RecurringTurn(name, body, this.timer.getScheduledExecutor(), this.pool, this::forget);
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
				new BackgroundLoop.Shared(this.timer.getScheduledExecutor(), this.pool, LINGER_NANOS));
	}

	/**
	 * Runs code once, on a thread of the pool.
	 * @param work the code
	 */
	public void execute(Runnable work) {
		this.pool.execute(work);
	}

	private void forget(RecurringTurn stopped) {
		this.turns.remove(stopped);
		this.loops.remove(stopped);
	}

	/**
	 * Stops all turns, and ends the threads if they belong to this object; interrupts
	 * running turns.
	 */
	@Override
	public void close() {
		this.turns.forEach(RecurringTurn::stop);
		if (this.ownsThreads) {
			this.timer.destroy();
			this.pool.destroy();
		}
	}

}
