package io.delayqueue.soak;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.process.fixture.Journal.Writer;

/**
 * Two queues of the soak with handlers that run for long, for {@link FullWorkerKill}. The
 * payload is the time that a handler takes, ms.
 *
 * @param journal the journal of this process
 */
record LongQueue(Writer journal) {

	static final String NAME = "long";

	/** A first crash is as many as a message may have that is to blame for it. */
	static final String INNOCENT = "innocent";

	/** A message has been stored. */
	static final String STORED = "long-stored";

	/** Such a message was stored to fill the workers. */
	static final String FILLS = "fills";

	static final String BEGIN = "long-begin";

	static final String END = "long-end";

	/** A full worker was killed. */
	static final String KILLED = "full-killed";

	@DelayedListener(queue = NAME)
	void handle(DelayedMessage<String> message) throws InterruptedException {
		run(message, Long.parseLong(message.payload()));
	}

	@DelayedListener(queue = INNOCENT)
	void handleInnocent(DelayedMessage<String> message) throws InterruptedException {
		run(message, (message.attempt() == 1) ? Long.parseLong(message.payload()) : 0);
	}

	private void run(DelayedMessage<String> message, long millis) throws InterruptedException {
		this.journal.add(BEGIN, message.id(), message.attempt(), message.dueAt().toEpochMilli());
		TimeUnit.MILLISECONDS.sleep(millis);
		this.journal.add(END, message.id(), message.attempt(), "-");
	}

	/** The settings of its consumers. */
	static List<String> arguments() {
		String prefix = "--delayqueue.queues.";
		return List.of(prefix + NAME + ".timeout=1h", prefix + NAME + ".max-crashes=3",
				prefix + INNOCENT + ".timeout=1h", prefix + INNOCENT + ".max-crashes=1");
	}

}
