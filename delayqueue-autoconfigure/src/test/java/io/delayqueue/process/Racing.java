package io.delayqueue.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.process.Journal.Writer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * An application whose threads schedule for the same users as fast as they can, cancel
 * some, and handle what is due, until it is killed. Every fifth message fails at first.
 */
@Configuration(proxyBeanMethods = false)
@LibraryOnly
class Racing {

	static final int USERS = 1000;

	private static final int THREADS = 25;

	private static final int LONGEST_DELAY_MILLIS = 400;

	private static final int SAID_EVERY = 500;

	public static void main(String[] arguments) {
		Writer journal = Writer.to(Path.of(arguments[0]), arguments[1]);
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Racing.class).web(WebApplicationType.NONE)
			.run(Arrays.copyOfRange(arguments, 2, arguments.length));
		Racer racer = new Racer(context.getBean(DelayQueueOperations.class), journal, new AtomicLong());
		journal.add(WorkerProcess.READY, "-", 0, "-");
		if (context.getEnvironment().getProperty("racing.schedules", Boolean.class, true)) {
			for (int i = 0; i < THREADS; i++) {
				new Thread(racer, "racer-" + i).start();
			}
		}
	}

	@DelayedListener(queue = "three")
	void three(DelayedMessage<String> message) {
		handle(message);
	}

	@DelayedListener(queue = "one")
	void one(DelayedMessage<String> message) {
		handle(message);
	}

	private static void handle(DelayedMessage<String> message) {
		if (message.attempt() == 1 && message.id().hashCode() % 5 == 0) {
			throw new IllegalStateException("every fifth message fails at first");
		}
	}

	/** What each thread does. */
	private record Racer(DelayQueueOperations queues, Writer journal, AtomicLong tries) implements Runnable {

		@Override
		public void run() {
			ThreadLocalRandom random = ThreadLocalRandom.current();
			while (true) {
				String queue = List.of("three", "one").get(random.nextInt(2));
				String user = "u-" + random.nextInt(USERS);
				try {
					ScheduleResult result = this.queues.schedule(ScheduleRequest.to(queue)
						.group(user)
						.payload(user)
						.delay(Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS))));
					if (random.nextInt(10) == 0) {
						this.queues.cancel(queue, result.id());
					}
				}
				catch (QuotaExceededException | DelayQueueUnavailableException refused) {
					// That is what the race is about
				}
				if (this.tries.incrementAndGet() % SAID_EVERY == 0) {
					this.journal.add("tried", "-", 0, this.tries.get());
				}
			}
		}
	}

}
