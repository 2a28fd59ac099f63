package io.delayqueue.journey;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * An application with listeners of batches, which do what a test wants of them.
 */
class Batches {

	final List<Run> runs = new CopyOnWriteArrayList<>();

	volatile Behaviour behaviour = (batch) -> null;

	/** What a listener does after it has entered its run. */
	@FunctionalInterface
	interface Behaviour {

		@Nullable CompletionStage<?> handle(List<DelayedMessage<String>> batch) throws Exception;

	}

	/**
	 * One run of a listener.
	 *
	 * @param messages what it got
	 * @param at when it began
	 */
	record Run(List<DelayedMessage<String>> messages, Instant at) {

		List<String> ids() {
			return this.messages.stream().map(DelayedMessage::id).toList();
		}

		List<Integer> attempts() {
			return this.messages.stream().map(DelayedMessage::attempt).toList();
		}

		List<Optional<String>> groups() {
			return this.messages.stream().map(DelayedMessage::group).distinct().toList();
		}

	}

	@DelayedListener(queue = "plain", batch = "${batch:8}", batchWait = "${batch-wait:200ms}",
			concurrency = "${batch-concurrency:}")
	@Nullable CompletionStage<?> plain(List<DelayedMessage<String>> batch) throws Exception {
		return run(batch);
	}

	@DelayedListener(queue = "grouped", batch = "${batch:8}", batchWait = "${batch-wait:200ms}", groupBy = true,
			concurrency = "${batch-concurrency:}")
	@Nullable CompletionStage<?> grouped(List<DelayedMessage<String>> batch) throws Exception {
		return run(batch);
	}

	private @Nullable CompletionStage<?> run(List<DelayedMessage<String>> batch) throws Exception {
		this.runs.add(new Run(batch, Instant.now()));
		return this.behaviour.handle(batch);
	}

	/** The ids of all runs. */
	List<String> ids() {
		return this.runs.stream().flatMap((run) -> run.ids().stream()).toList();
	}

	/** Waits until so many messages have been handed over, one twice counts twice. */
	List<Run> await(int messages) {
		Awaitility.await(messages + " messages")
			.until(() -> this.runs.stream().mapToInt((run) -> run.messages().size()).sum() >= messages);
		return List.copyOf(this.runs);
	}

}
