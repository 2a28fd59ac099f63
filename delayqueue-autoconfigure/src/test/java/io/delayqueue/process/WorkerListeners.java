package io.delayqueue.process;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.process.Journal.Writer;

/**
 * Listeners that do what the payload says, one queue for each purpose. Which of them
 * start is said by properties.
 */
class WorkerListeners {

	private final Writer journal;

	private final Gates gates;

	WorkerListeners(Writer journal, Gates gates) {
		this.journal = journal;
		this.gates = gates;
	}

	@DelayedListener(queue = "work", autoStartup = "${worker.work:false}")
	void work(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	@DelayedListener(queue = "unstarted", autoStartup = "${worker.unstarted:false}")
	void unstarted(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	@DelayedListener(queue = "unfinished", autoStartup = "${worker.unfinished:false}")
	void unfinished(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	@DelayedListener(queue = "unacknowledged", autoStartup = "${worker.unacknowledged:false}")
	void unacknowledged(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	/** Has more places than threads, so that most of what is read is not started. */
	@DelayedListener(queue = "crowded", autoStartup = "${worker.crowded:false}", concurrency = "250",
			executor = "fifty")
	void crowded(DelayedMessage<String> message) throws InterruptedException {
		run(message);
	}

	/** Says of each message first in how large a batch it came. */
	@DelayedListener(queue = "batched", autoStartup = "${worker.batched:false}", batch = "8", batchWait = "300ms")
	void batched(List<DelayedMessage<String>> batch) throws InterruptedException {
		batch.forEach((message) -> this.journal.add("batch", message.id(), message.attempt(), batch.size()));
		for (DelayedMessage<String> message : batch) {
			run(message);
		}
	}

	/** Takes a few milliseconds, and fails the first time if the payload says so. */
	@DelayedListener(queue = "ordered", autoStartup = "${worker.ordered:false}")
	void ordered(DelayedMessage<String> message) throws InterruptedException {
		this.journal.add("begin", message.id(), message.attempt(), message.dueAt().toEpochMilli());
		TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(5));
		if (message.payload().equals("fail") && message.attempt() == 1) {
			this.journal.add("failed", message.id(), 1, "-");
			throw new IllegalStateException("fails at first");
		}
		this.journal.add("end", message.id(), message.attempt(), "-");
	}

	/**
	 * Says so before and after doing what the payload says:
	 * <ul>
	 * <li>{@code done}: nothing more;</li>
	 * <li>{@code hold}: waits to be told {@code go <id>};</li>
	 * <li>{@code watch}: the same, but says when its lease is lost and returns then;</li>
	 * <li>{@code take <ms>}: takes so long;</li>
	 * <li>{@code halt}: kills the process.</li>
	 * </ul>
	 */
	void run(DelayedMessage<String> message) throws InterruptedException {
		this.journal.add("begin", message.id(), message.attempt(), message.dueAt().toEpochMilli());
		String[] words = message.payload().split(" ");
		switch (words[0]) {
			case "done" -> {
			}
			case "hold" -> this.gates.await(message.id());
			case "watch" -> watch(message);
			case "take" -> TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[1]));
			case "halt" -> Runtime.getRuntime().halt(1);
			default -> throw new IllegalArgumentException(message.payload());
		}
		this.journal.add("end", message.id(), message.attempt(), message.isLeaseLost() ? "lost" : "kept");
	}

	private void watch(DelayedMessage<String> message) throws InterruptedException {
		while (!message.isLeaseLost() && !this.gates.isOpen(message.id())) {
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

}
