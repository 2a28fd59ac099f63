package io.delayqueue.soak;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.maintain.Maintainer;
import io.delayqueue.maintain.MaintenanceSettings;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.LibraryOnly;
import io.delayqueue.process.fixture.WorkerMain;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.store.HintChannel;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * A worker of the soak: an application in its own process. The first letter of a payload
 * selects the behaviour of the handler: {@code f} fails at first, {@code x} always fails,
 * {@code s} hangs at first, {@code h} always hangs, {@code d} runs for so long that the
 * lease is renewed after the message was postponed or replaced.
 */
@Configuration(proxyBeanMethods = false)
@LibraryOnly
class SoakWorker {

	/** The kind of a message that is postponed or replaced while it runs. */
	static final char DEBOUNCED = 'd';

	/** Runs until it is killed, or until its standard input is closed. */
	public static void main(String[] arguments) throws IOException {
		WorkerMain.run(SoakWorker.class, arguments);
	}

	@Bean
	static BeanPostProcessor settlementsInTheJournal(Writer journal, Environment environment) {
		boolean separateSteps = environment.getRequiredProperty("soak.separate-steps", Boolean.class);
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (bean instanceof RedisAccess redis) {
					RedisTemplate<String, byte[]> template = redis.template();
					template.setScriptExecutor(new WatchedScripts(template, journal, separateSteps));
				}
				return bean;
			}

		};
	}

	@Bean
	Handler handler(Writer journal, @Value("${soak.handling}") int handlingMillis) {
		return new Handler(journal, handlingMillis);
	}

	@Bean
	LimitedHandler limitedHandler(Writer journal) {
		return new LimitedHandler(journal);
	}

	@Bean
	RecurringHandler recurringHandler(Writer journal) {
		return new RecurringHandler(journal);
	}

	@Bean
	LongQueue longQueue(Writer journal) {
		return new LongQueue(journal);
	}

	@Bean
	NarrowQueues narrowQueues(Writer journal) {
		return new NarrowQueues(journal);
	}

	@Bean
	FailingQueues failingQueues(Writer journal) {
		return new FailingQueues(journal);
	}

	@Bean
	Deployment.Listener deployed() {
		return new Deployment.Listener();
	}

	/** A second maintainer that audits at short intervals: there are no hours to wait. */
	@Bean
	Maintainer maintainer(DelayQueueEngine engine, @Value("${soak.audit}") Duration audit) {
		return new Maintainer(new MaintenanceSettings(audit.multipliedBy(5), audit), engine.calls(), engine.directory(),
				engine.signals(), engine.fleet(),
				new Wakeups(engine.signals(), new HintChannel(engine.calls()), engine.fleet(), engine.tasks()),
				engine.gate(), engine.tasks(), engine.observer());
	}

	static class Handler {

		/** Few enough for their worker to go on. */
		private static final int MOST_FOR_EVER = 3;

		private static final int NAP_MILLIS = 50;

		/** Longer than the time between two renewals of a lease. */
		private static final int DEBOUNCED_MILLIS = 1000;

		private final Semaphore forEver = new Semaphore(MOST_FOR_EVER);

		private final Writer journal;

		private final int handlingMillis;

		Handler(Writer journal, int handlingMillis) {
			this.journal = journal;
			this.handlingMillis = handlingMillis;
		}

		@DelayedListener(queue = SoakPlan.QUEUE)
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.journal.add("begin", message.id(), message.attempt(),
					new Begin(message.dueAt().toEpochMilli(), message.payload()));
			char kind = message.payload().charAt(0);
			if (kind == 'h' || (kind == 's' && message.attempt() == 1)) {
				hang(message);
				return;
			}
			TimeUnit.MILLISECONDS.sleep((kind == DEBOUNCED) ? DEBOUNCED_MILLIS
					: ThreadLocalRandom.current().nextInt(this.handlingMillis + 1));
			if (message.isCancelled()) {
				this.journal.add("cancelled", message.id(), message.attempt(), message.payload());
			}
			if (kind == 'x' || (kind == 'f' && message.attempt() == 1)) {
				this.journal.add("failure", message.id(), message.attempt(), message.payload());
				throw new IllegalStateException("as planned");
			}
			this.journal.add("success", message.id(), message.attempt(), message.payload());
		}

		/**
		 * Returns late or never, even if it is interrupted. The duration is counted in
		 * naps and not in time, so that a freeze of the process extends it.
		 */
		private void hang(DelayedMessage<String> message) {
			this.journal.add("hang", message.id(), message.attempt(), message.payload());
			if (ThreadLocalRandom.current().nextBoolean() && this.forEver.tryAcquire()) {
				napForEver();
			}
			long millis = 2 * SoakPlan.TIMEOUT.toMillis() + ThreadLocalRandom.current().nextInt(1000);
			for (int i = 0; i < millis / NAP_MILLIS; i++) {
				nap();
			}
			this.journal.add("return", message.id(), message.attempt(), message.payload());
		}

		private static void napForEver() {
			while (true) {
				nap();
			}
		}

		private static void nap() {
			try {
				TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
			}
			catch (InterruptedException ignored) {
				// The interrupt is the timeout of the handler, and the handler goes on
			}
		}

	}

}
