package io.delayqueue.schedule;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.queue.Partition;
import org.jspecify.annotations.Nullable;

import static io.delayqueue.schedule.HeldCalls.FOREVER;
import static io.delayqueue.schedule.HeldCalls.PATIENCE;
import static io.delayqueue.schedule.HeldCalls.daemon;
import static io.delayqueue.schedule.TestMessages.ANOTHER;
import static io.delayqueue.schedule.TestMessages.PARTITION;
import static io.delayqueue.schedule.TestMessages.message;
import static io.delayqueue.schedule.TestMessages.text;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads, many messages, few ids, two partitions; no call is held.
 */
final class Load {

	static final int THREADS = 16;

	static final int MESSAGES = 500;

	private static final int IDS = 4;

	private static final int FAILS_EVERY = 3;

	private final List<Throwable> failures;

	final Map<String, AtomicInteger> timesSent = new ConcurrentHashMap<>();

	final Queue<String> faults = new ConcurrentLinkedQueue<>();

	private final Map<Partition, AtomicInteger> underWay = Map.of(PARTITION, new AtomicInteger(), ANOTHER,
			new AtomicInteger());

	private final AtomicInteger calls = new AtomicInteger();

	Load(List<Throwable> failures) {
		this.failures = failures;
	}

	List<Outcome> run(CallCoalescer<String> callCoalescer) {
		CyclicBarrier start = new CyclicBarrier(THREADS);
		List<CompletableFuture<List<Outcome>>> all = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			int number = i;
			CompletableFuture<List<Outcome>> outcomes = new CompletableFuture<>();
			all.add(outcomes);
			daemon(() -> {
				try {
					start.await();
					outcomes.complete(sendAll(callCoalescer, number));
				}
				catch (Throwable broken) {
					outcomes.completeExceptionally(broken);
				}
			});
		}
		assertThat(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))).as("all threads end")
			.succeedsWithin(PATIENCE);
		return all.stream().flatMap((outcomes) -> outcomes.join().stream()).toList();
	}

	private List<Outcome> sendAll(CallCoalescer<String> callCoalescer, int thread) {
		List<Outcome> outcomes = new ArrayList<>();
		for (int i = 0; i < MESSAGES; i++) {
			byte[] unique = (thread + "/" + i).getBytes(StandardCharsets.UTF_8);
			Outcome outcome = new Outcome(
					message((i % 2 == 0) ? PARTITION : ANOTHER, "id" + (thread + i / 2) % IDS, unique));
			try {
				outcome.answer = callCoalescer.send(outcome.message, FOREVER);
			}
			catch (Throwable failure) {
				outcome.failure = failure;
			}
			outcomes.add(outcome);
		}
		return outcomes;
	}

	List<String> call(List<OutgoingMessage> batch) {
		AtomicInteger underWay = this.underWay.get(batch.get(0).partition());
		if (underWay.incrementAndGet() > 3 && this.failures.isEmpty()) {
			this.faults.add("more than 3 calls");
		}
		try {
			return checkAndAnswer(batch);
		}
		finally {
			underWay.decrementAndGet();
		}
	}

	private List<String> checkAndAnswer(List<OutgoingMessage> batch) {
		if (batch.stream().map(OutgoingMessage::id).distinct().count() < batch.size()) {
			this.faults.add("an id twice");
		}
		if (batch.stream().map(OutgoingMessage::partition).distinct().count() > 1) {
			this.faults.add("two partitions");
		}
		batch.forEach((message) -> this.timesSent.computeIfAbsent(text(message), (text) -> new AtomicInteger())
			.incrementAndGet());
		// Lets other threads add messages meanwhile
		Thread.yield();
		int number = this.calls.incrementAndGet();
		if (!this.failures.isEmpty() && number % FAILS_EVERY == 0) {
			Throwable failure = this.failures.get(number / FAILS_EVERY % this.failures.size());
			if (failure instanceof Error error) {
				throw error;
			}
			throw (RuntimeException) failure;
		}
		return batch.stream().map(TestMessages::text).toList();
	}

	/** The answer or the failure of one message. */
	static final class Outcome {

		final OutgoingMessage message;

		String answer = "";

		@Nullable Throwable failure;

		Outcome(OutgoingMessage message) {
			this.message = message;
		}

	}

}
