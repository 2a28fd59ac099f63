package io.delayqueue.soak;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HoldException;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.process.fixture.Journal.Writer;

/**
 * The listener of the limited queue. The payload selects its behaviour; it records the
 * holds that its process makes.
 */
class LimitedHandler implements QueueObserver {

	static final String PLAIN = "plain";

	/** Holds the queue, about every second time. */
	static final String HOLDS_QUEUE = "holds-queue";

	/** Holds its group, about every second time. */
	static final String HOLDS_GROUP = "holds-group";

	/** Returns long after its timeout at first, even if it is interrupted. */
	static final String HANGS = "hangs";

	private static final Duration OF_QUEUE = Duration.ofMillis(400);

	private static final Duration OF_GROUP = Duration.ofMillis(1200);

	private static final int LONGEST_MILLIS = 80;

	private static final int NAP_MILLIS = 50;

	private final Writer journal;

	LimitedHandler(Writer journal) {
		this.journal = journal;
	}

	@DelayedListener(queue = LimitedQueue.NAME, autoStartup = "${soak.limited}")
	void handle(DelayedMessage<String> message) throws InterruptedException {
		String name = LimitedQueue.name(message.id(), message.group().orElseThrow());
		this.journal.add(LimitedQueue.BEGIN, name, message.attempt(), message.payload());
		boolean isOdd = ThreadLocalRandom.current().nextBoolean();
		if (message.payload().equals(HOLDS_QUEUE) && isOdd) {
			throw HoldException.queue(OF_QUEUE, "as planned");
		}
		if (message.payload().equals(HOLDS_GROUP) && isOdd) {
			throw HoldException.group(OF_GROUP, "as planned");
		}
		if (message.payload().equals(HANGS) && message.attempt() == 1) {
			hang();
			return;
		}
		TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(LONGEST_MILLIS + 1));
		this.journal.add(LimitedQueue.END, name, message.attempt(), message.payload());
	}

	/**
	 * The duration is counted in naps and not in time, so that a freeze of the process
	 * extends it.
	 */
	private static void hang() {
		for (int i = 0; i < 2 * SoakPlan.TIMEOUT.toMillis() / NAP_MILLIS; i++) {
			try {
				TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
			}
			catch (InterruptedException ignored) {
				// The interrupt is the timeout of the handler, and the handler goes on
			}
		}
	}

	@Override
	public void held(QueueHold hold) {
		String group = hold.group();
		this.journal.add(LimitedQueue.HELD, (group != null) ? group : hold.queue(), 0, hold.until().toEpochMilli());
	}

}
