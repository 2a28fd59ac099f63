package io.delayqueue.benchmark;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ExecutionException;
import java.util.ArrayList;
import java.util.stream.IntStream;

/**
 * Schedules messages with a {@link Peer}, and measures the rate.
 */
final class Messages {

	static final long HOUR_MILLIS = 3_600_000;

	private static final int BULK = 5000;

	private Messages() {
	}

	/**
	 * Schedules messages one by one with several threads, and returns the number of
	 * messages per second.
	 */
	static double scheduleEach(Peer peer, int count, int threads, long dueMillis) throws InterruptedException {
		ExecutorService all = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> running = new ArrayList<>();
			long began = System.nanoTime();
			for (int thread = 0; thread < threads; thread++) {
				int first = thread;
				running.add(all.submit(() -> peer.scheduleEach(
						() -> IntStream.iterate(first, (number) -> number < count, (number) -> number + threads)
							.mapToObj((number) -> new Message(number, dueMillis))
							.iterator())));
			}
			for (Future<?> one : running) {
				one.get();
			}
			return perSecond(count, System.nanoTime() - began);
		}
		catch (ExecutionException failure) {
			throw new BenchmarkException("a message could not be scheduled: " + failure.getCause());
		}
		finally {
			all.shutdown();
		}
	}

	/** Schedules messages in bulk, and returns the number of messages per second. */
	static double scheduleAll(Peer peer, int from, int to, long dueMillis) {
		long began = System.nanoTime();
		for (int first = from; first < to; first += BULK) {
			peer.scheduleAll(IntStream.range(first, Math.min(to, first + BULK))
				.mapToObj((number) -> new Message(number, dueMillis))
				.toList());
		}
		return perSecond(to - from, System.nanoTime() - began);
	}

	/** Checks that the expected number of messages is stored. */
	static void check(Peer peer, int expected) {
		long waiting = peer.waiting();
		if (waiting != expected) {
			throw new BenchmarkException(waiting + " messages are stored instead of " + expected);
		}
	}

	static double perSecond(int count, long nanos) {
		return count * 1e9 / nanos;
	}

}
