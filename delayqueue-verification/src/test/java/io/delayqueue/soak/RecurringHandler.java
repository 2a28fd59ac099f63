package io.delayqueue.soak;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.process.fixture.Journal.Writer;

/**
 * The listener of the recurring queue.
 *
 * @param journal the journal of this process
 */
record RecurringHandler(Writer journal) {

	private static final int LONGEST_MILLIS = 20;

	@DelayedListener(queue = RecurringQueue.NAME, autoStartup = "${soak.recurring}")
	void handle(DelayedMessage<String> message) throws InterruptedException {
		this.journal.add(RecurringQueue.BEGIN, message.id(), message.attempt(), message.payload());
		TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(LONGEST_MILLIS + 1));
		this.journal.add(RecurringQueue.END, message.id(), message.attempt(), message.payload());
	}

}
