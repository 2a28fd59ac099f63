package io.delayqueue.fleet;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.delayqueue.queue.DaemonThreads;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.RedisCalls;

/**
 * Runs a step for each of several partitions: at the same time for the servers of a
 * cluster, one after the other for the partitions of one server. So a server that hangs
 * delays only the steps of its own partitions. Safe for use by several threads.
 */
public final class EachServer {

	private final RedisCalls calls;

	private final ThreadFactory threads = new DaemonThreads("delayqueue-server-");

	/**
	 * Creates an instance.
	 * @param calls tells which server has a partition
	 */
	public EachServer(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Runs the steps, and returns when all of them have ended. If a step fails, the
	 * following partitions of its server get no step.
	 * @param partitions the partitions
	 * @param step the step; several threads may run steps at the same time
	 * @throws RuntimeException the failure of a step
	 */
	public void run(Collection<Partition> partitions, Consumer<Partition> step) {
		Collection<List<Partition>> servers = partitions.stream()
			.collect(Collectors.groupingBy(this.calls::server))
			.values();
		if (servers.size() <= 1) {
			partitions.forEach(step);
			return;
		}
		List<CompletableFuture<Void>> all = servers.stream()
			.map((server) -> CompletableFuture.runAsync(() -> server.forEach(step),
					(work) -> this.threads.newThread(work).start()))
			.toList();
		try {
			CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
		}
		catch (CompletionException failed) {
			throw (failed.getCause() instanceof RuntimeException failure) ? failure : failed;
		}
	}

}
