package io.delayqueue.lifecycle;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.delayqueue.queue.DaemonThreads;

/**
 * The daemon threads on which all tasks of an engine run: one timer thread, which only
 * starts runs, and a pool without a limit, so that no task waits for another task whose
 * server hangs. A thread of the pool has the name of the task that it runs, and ends
 * after 10 s without a run. The pool has no thread before its first task. Safe for use by
 * several threads.
 */
public final class TaskPool implements AutoCloseable {

	private static final int IDLE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			new DaemonThreads("delayqueue-timer-"));

	private final ThreadPoolExecutor threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS,
			TimeUnit.SECONDS, new SynchronousQueue<>(), new DaemonThreads("delayqueue-idle-"));

	private final Set<FailureTrack> listed = ConcurrentHashMap.newKeySet();

	private final Intervals intervals;

	/** Creates a pool without threads, for tasks with the default intervals. */
	public TaskPool() {
		this(Intervals.DEFAULT);
	}

	/**
	 * Creates a pool without threads.
	 * @param intervals the intervals of the tasks
	 */
	public TaskPool(Intervals intervals) {
		this.intervals = intervals;
		this.timer.setRemoveOnCancelPolicy(true);
	}

	/**
	 * {@return the intervals of the tasks}
	 */
	public Intervals intervals() {
		return this.intervals;
	}

	/**
	 * Creates a task that health includes from its first request until its stop.
	 * @param name the name of the task, for its thread, the log and health
	 * @param work the work of the task
	 * @return the new task, which runs when a caller requests it
	 */
	public Task task(String name, Task.Work work) {
		return new Task(name, work, this, this.threads, false, true);
	}

	/**
	 * Creates a task that health includes, and of which only a few run at the same time.
	 * @param name the name of the task, for its thread, the log and health
	 * @param limit the limit, which this task shares with other tasks
	 * @param server returns the server of Redis that the next run calls
	 * @param work the work of the task
	 * @return the new task, which runs when a caller requests it
	 */
	public Task task(String name, ServerLimit limit, Supplier<String> server, Task.Work work) {
		return new Task(name, work, this, (run) -> limit.execute(server.get(), run, this.threads), true, true);
	}

	/**
	 * Creates a task that health does not include, because no delivery depends on it.
	 * @param name the name of the task, for its thread and the log
	 * @param work the work of the task
	 * @return the new task, which runs when a caller requests it
	 */
	public Task unlisted(String name, Task.Work work) {
		return new Task(name, work, this, this.threads, false, false);
	}

	/**
	 * Runs code once.
	 * @param name the name of the thread meanwhile
	 * @param code the code
	 * @throws RejectedExecutionException if this pool is closed
	 */
	public void execute(String name, Runnable code) {
		this.threads.execute(() -> {
			Thread thread = Thread.currentThread();
			String before = thread.getName();
			thread.setName(name);
			try {
				code.run();
			}
			finally {
				thread.setName(before);
			}
		});
	}

	/**
	 * Makes health include an activity.
	 * @param activity the failures of the activity
	 */
	public void list(FailureTrack activity) {
		this.listed.add(activity);
	}

	/**
	 * Makes health include an activity no more.
	 * @param activity the failures of the activity
	 */
	public void unlist(FailureTrack activity) {
		this.listed.remove(activity);
	}

	/**
	 * Returns the status of all activities that health includes.
	 * @return one status for each activity, in no order
	 */
	public List<TaskStatus> statuses() {
		return this.listed.stream().map(FailureTrack::status).toList();
	}

	ScheduledThreadPoolExecutor timer() {
		return this.timer;
	}

	boolean isClosed() {
		return this.threads.isShutdown();
	}

	/**
	 * Stops all tasks for good. A run that is under way ends by itself, and its thread
	 * with it: an interrupt would leave a connection that the run uses in an unknown
	 * state.
	 */
	@Override
	public void close() {
		this.timer.shutdownNow();
		this.threads.shutdown();
		this.listed.clear();
	}

}
