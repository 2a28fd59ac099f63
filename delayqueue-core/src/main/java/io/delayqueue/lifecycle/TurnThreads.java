package io.delayqueue.lifecycle;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.delayqueue.queue.DaemonThreads;

import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * The daemon threads that {@link RecurringTurn}s and {@link BackgroundLoop}s share: one
 * timer thread, and a pool that runs tasks and the loops that are not idle. The number of
 * tasks that run at the same time is limited for each server of Redis, so that tasks
 * whose server hangs do not delay the tasks of other servers. Idle threads of the pool
 * end. The health indicator includes each recurring task from its creation until it is
 * stopped.
 */
public final class TurnThreads implements AutoCloseable {

	private static final int IDLE_SECONDS = 10;

	private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LoopRegistry loops;

	private final List<RecurringTurn> turns = new CopyOnWriteArrayList<>();

	private final ThreadPoolTaskScheduler timer;

	private final ThreadPoolTaskExecutor pool;

	private final int most;

	/** The number of tasks that run now, by their server; without servers with none. */
	private final Map<String, Integer> running = new ConcurrentHashMap<>();

	private final boolean ownsThreads;

	/**
	 * Creates the timer thread and the pool.
	 * @param name the prefix of the names of the threads
	 * @param most the maximum number of tasks that run at the same time and call the same
	 * server of Redis; loops are not counted
	 * @param loops the registry of background activities
	 */
	public TurnThreads(String name, int most, LoopRegistry loops) {
		this(loops, new ThreadPoolTaskScheduler(), new ThreadPoolTaskExecutor(), most, true);
		this.timer.setThreadFactory(new DaemonThreads(name + "-timer-"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.timer.initialize();
		this.pool.setThreadFactory(new DaemonThreads(name + "-"));
		this.pool.setCorePoolSize(0);
		this.pool.setQueueCapacity(0);
		this.pool.setKeepAliveSeconds(IDLE_SECONDS);
		this.pool.initialize();
	}

	private TurnThreads(LoopRegistry loops, ThreadPoolTaskScheduler timer, ThreadPoolTaskExecutor pool, int most,
			boolean ownsThreads) {
		this.loops = loops;
		this.timer = timer;
		this.pool = pool;
		this.most = most;
		this.ownsThreads = ownsThreads;
	}

	/**
	 * Returns an object that runs other tasks on the same threads; closing the object
	 * stops only these tasks.
	 * @return the object for the other tasks
	 */
	public TurnThreads share() {
		return new TurnThreads(this.loops, this.timer, this.pool, this.most, false);
	}

	/**
	 * Creates a recurring task that calls one server of Redis, or several. A caller must
	 * request the first turn (run) of the task.
	 * @param name the name of the task, for the log and the health indicator
	 * @param body runs one turn and returns the wait before the next turn
	 * @return the new task
	 */
	public RecurringTurn turn(String name, BackgroundLoop.Body body) {
		return turn(name, () -> "", body);
	}

	/**
	 * Creates a recurring task that waits for no task of another server. A caller must
	 * request the first turn (run) of the task.
	 * @param name the name of the task, for the log and the health indicator
	 * @param server returns the server of Redis that the next turn calls
	 * @param body runs one turn and returns the wait before the next turn
	 * @return the new task
	 */
	public RecurringTurn turn(String name, Supplier<String> server, BackgroundLoop.Body body) {
		RecurringTurn turn = new RecurringTurn(name, body, this.timer.getScheduledExecutor(),
				(work) -> execute(server.get(), work), this::forget);
		this.turns.add(turn);
		this.loops.add(turn, turn::status);
		return turn;
	}

	private void execute(String server, Runnable work) {
		if (this.running.merge(server, 1, Integer::sum) > this.most) {
			ended(server);
			throw new RejectedExecutionException("As many tasks of server '" + server + "' run as may run at once");
		}
		try {
			this.pool.execute(() -> {
				try {
					work.run();
				}
				finally {
					ended(server);
				}
			});
		}
		catch (RuntimeException | Error refused) {
			ended(server);
			throw refused;
		}
	}

	private void ended(String server) {
		this.running.computeIfPresent(server, (same, tasks) -> (tasks > 1) ? tasks - 1 : null);
	}

	/**
	 * Creates a loop that is not started yet, and has a thread only while it is not idle.
	 * @param name the name of the loop, for its thread, the log and the health indicator
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
	 * Stops all tasks of this object. If the threads belong to this object, ends the
	 * threads and interrupts running tasks.
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
