package io.delayqueue.benchmark;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

import io.delayqueue.engine.DelayQueueEngine;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Applications that use the same Redis. Each application is a member (a consuming process
 * of the queue), as if it ran in a process of its own.
 */
final class Applications implements AutoCloseable {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	/**
	 * The maximum number of threads of the JVM: below the 32,768 ids that Linux has by
	 * default for all threads of a machine.
	 */
	private static final int MOST_THREADS = 16_000;

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	/**
	 * Starts applications one after the other, and waits until each application lists all
	 * applications as members.
	 * @param count the number of applications
	 * @param start starts the application with the given number, from 0 on; each
	 * application consumes a queue
	 * @throws BenchmarkException if the applications have too many threads for the
	 * machine, or do not list each other as members in time
	 */
	Applications(int count, IntFunction<ConfigurableApplicationContext> start) {
		try {
			for (int i = 0; i < count; i++) {
				this.contexts.add(start.apply(i));
				checkThreads();
			}
			awaitMembers();
		}
		catch (RuntimeException failure) {
			close();
			throw failure;
		}
	}

	private void checkThreads() {
		int threads = ManagementFactory.getThreadMXBean().getThreadCount();
		if (threads > MOST_THREADS) {
			throw new BenchmarkException(this.contexts.size() + " applications have " + threads + " threads");
		}
	}

	private void awaitMembers() {
		long end = System.nanoTime() + LIMIT.toNanos();
		while (this.contexts.stream().anyMatch((context) -> membersSeenBy(context) != this.contexts.size())) {
			if (System.nanoTime() > end) {
				throw new BenchmarkException("the applications see "
						+ this.contexts.stream().map(Applications::membersSeenBy).toList() + " members");
			}
			sleep(Duration.ofMillis(10));
		}
	}

	private static int membersSeenBy(ConfigurableApplicationContext context) {
		return context.getBean(DelayQueueEngine.class).fleet().roster().members().size();
	}

	private static void sleep(Duration time) {
		try {
			TimeUnit.NANOSECONDS.sleep(time.toNanos());
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			throw new BenchmarkException("interrupted");
		}
	}

	/** Returns the first application. */
	ConfigurableApplicationContext first() {
		return this.contexts.get(0);
	}

	@Override
	public void close() {
		this.contexts.parallelStream().forEach(ConfigurableApplicationContext::close);
	}

}
