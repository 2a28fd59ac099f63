package io.delayqueue.lifecycle;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Limits how many tasks that call the same server of Redis run at the same time, so that
 * tasks whose server hangs occupy few threads and delay no task of another server. Safe
 * for use by several threads.
 */
public final class ServerLimit {

	private final int most;

	/** The number of tasks that run now, by their server; without servers with none. */
	private final Map<String, Integer> running = new ConcurrentHashMap<>();

	/**
	 * Creates a limit.
	 * @param most the most tasks of one server that run at the same time, 1 or more
	 */
	public ServerLimit(int most) {
		this.most = most;
	}

	/**
	 * Runs a task on a thread.
	 * @throws RejectedExecutionException if as many tasks of the server run as may run
	 */
	void execute(String server, Runnable task, Executor threads) {
		if (this.running.merge(server, 1, Integer::sum) > this.most) {
			ended(server);
			throw new RejectedExecutionException("As many tasks of server '" + server + "' run as may run at once");
		}
		try {
			threads.execute(() -> {
				try {
					task.run();
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

}
