package io.delayqueue.process;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.process.Journal.Writer;

/**
 * Listeners that do what the payload says, one queue for each purpose. Its first word is
 * the name by which the journal knows the message, as ids are mostly generated. Which of
 * the listeners start is said by properties.
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
		batch.forEach((message) -> this.journal.add("batch", name(message), message.attempt(), batch.size()));
		for (DelayedMessage<String> message : batch) {
			run(message);
		}
	}

	/** Takes a few milliseconds, and fails the first time if the payload says so. */
	@DelayedListener(queue = "ordered", autoStartup = "${worker.ordered:false}")
	void ordered(DelayedMessage<String> message) throws InterruptedException {
		this.journal.add("begin", name(message), message.attempt(), message.dueAt().toEpochMilli());
		TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(5));
		if (message.payload().endsWith(" fail") && message.attempt() == 1) {
			this.journal.add("failed", name(message), 1, "-");
			throw new IllegalStateException("fails at first");
		}
		this.journal.add("end", name(message), message.attempt(), "-");
	}

	/**
	 * Says so before and after doing what the payload says:
	 * <ul>
	 * <li>{@code done}: nothing more;</li>
	 * <li>{@code hold}: waits to be told {@code go <name>};</li>
	 * <li>{@code watch}: the same, but says when its lease is lost and returns then;</li>
	 * <li>{@code take <ms>}: takes so long;</li>
	 * <li>{@code halt}: kills the process.</li>
	 * </ul>
	 */
	void run(DelayedMessage<String> message) throws InterruptedException {
		this.journal.add("begin", name(message), message.attempt(), message.dueAt().toEpochMilli());
		String[] words = message.payload().split(" ");
		switch (words[1]) {
			case "done" -> {
			}
			case "hold" -> this.gates.await(name(message));
			case "watch" -> watch(message);
			case "take" -> TimeUnit.MILLISECONDS.sleep(Long.parseLong(words[2]));
			case "halt" -> Runtime.getRuntime().halt(1);
			default -> throw new IllegalArgumentException(message.payload());
		}
		this.journal.add("end", name(message), message.attempt(), message.isLeaseLost() ? "lost" : "kept");
	}

	private static String name(DelayedMessage<String> message) {
		return message.payload().split(" ")[0];
	}

	private void watch(DelayedMessage<String> message) throws InterruptedException {
		while (!message.isLeaseLost() && !this.gates.isOpen(name(message))) {
			TimeUnit.MILLISECONDS.sleep(5);
		}
	}

}
