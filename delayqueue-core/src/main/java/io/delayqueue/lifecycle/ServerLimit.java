package io.delayqueue.lifecycle;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many tasks that call the same server of Redis run at the same time, so that
 * tasks whose server hangs occupy few threads and delay no task of another server. The
 * others wait in a line. Safe for use by several threads.
 */
public final class ServerLimit {

	private static final Log logger = LogFactory.getLog(ServerLimit.class);

	private final int most;

	/** By server, without servers for which nothing runs or waits; guarded by this. */
	private final Map<String, Line> lines = new HashMap<>();

	/**
	 * Creates a limit.
	 * @param most the most tasks of one server that run at the same time, 1 or more
	 */
	public ServerLimit(int most) {
		this.most = most;
	}

	/** The tasks of one server. */
	private static final class Line {

		private final Queue<Runnable> waiting = new ArrayDeque<>();

		private int threads;

	}

	/**
	 * Runs a task on a thread, now or when the tasks before it have ended.
	 * @throws RuntimeException if there is no thread, and none that could take the task
	 * later
	 */
	void execute(String server, Runnable task, Executor threads) {
		if (!add(server, task)) {
			return;
		}
		try {
			threads.execute(() -> runAll(server));
		}
		catch (RuntimeException | Error refused) {
			if (remove(server, task)) {
				throw refused;
			}
		}
	}

	/**
	 * Adds a task to the line.
	 * @return whether a further thread may take tasks from the line
	 */
	private synchronized boolean add(String server, Runnable task) {
		Line line = this.lines.computeIfAbsent(server, (same) -> new Line());
		line.waiting.add(task);
		if (line.threads == this.most) {
			return false;
		}
		line.threads++;
		return true;
	}

	/**
	 * Removes a task from the line, and the thread that was to take it.
	 * @return whether the task was still in the line
	 */
	private synchronized boolean remove(String server, Runnable task) {
		Line line = this.lines.get(server);
		if (line == null) {
			return false;
		}
		line.threads--;
		boolean removed = line.waiting.remove(task);
		if (line.threads == 0 && line.waiting.isEmpty()) {
			this.lines.remove(server);
		}
		return removed;
	}

	private void runAll(String server) {
		for (Runnable task = next(server); task != null; task = next(server)) {
			try {
				task.run();
			}
			catch (Throwable failure) {
				logger.error("A task failed unexpectedly", failure);
			}
		}
	}

	private synchronized @Nullable Runnable next(String server) {
		Line line = this.lines.get(server);
		Runnable next = (line != null) ? line.waiting.poll() : null;
		if (line != null && next == null) {
			line.threads--;
			if (line.threads == 0) {
				this.lines.remove(server);
			}
		}
		return next;
	}

}
