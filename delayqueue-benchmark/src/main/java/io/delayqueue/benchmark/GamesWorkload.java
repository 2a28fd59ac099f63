package io.delayqueue.benchmark;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Workload W8: reports of players' behaviour in many games with very different rates.
 * Each game is a group with a quota, and its reports are handled in batches.
 */
final class GamesWorkload implements Workload {

	private static final int GAMES = 200;

	/** The number of games with the highest rates; all other games count as cold. */
	private static final int HOT = 20;

	private static final int RATE = 10_000;

	private static final int PRODUCERS = 16;

	private static final int AHEAD_MILLIS = 500;

	/**
	 * The time after which a due report counts as overdue: a report may wait 200 ms for
	 * further reports of its game.
	 */
	private static final int GRACE_MILLIS = 250;

	private static final long HANDLER_MICROS = 1000;

	private final int seconds;

	/**
	 * Creates the workload.
	 * @param seconds how long reports are scheduled
	 */
	GamesWorkload(int seconds) {
		this.seconds = seconds;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>(run(target, "", 1));
		target.server().call("FLUSHALL");
		measured.addAll(run(target, "hottest game 10x slower, ", 10));
		return measured;
	}

	private List<Measured> run(Target target, String line, int slower) throws InterruptedException {
		Reports reports = new Reports(slower, RATE * this.seconds);
		try (ConfigurableApplicationContext application = StarterPeer.start(target, reports,
				"delayqueue.queues.reports.group.quota=1000", "delayqueue.queues.reports.group.when-full=drop-oldest",
				"delayqueue.queues.reports.expiry.after=3m")) {
			DelayQueueOperations delayQueue = application.getBean(DelayQueueOperations.class);
			Producers producers = new Producers(delayQueue, this.seconds);
			long began = System.nanoTime();
			producers.run();
			double seconds = (System.nanoTime() - began) / 1e9;
			TimeUnit.MILLISECONDS.sleep(AHEAD_MILLIS + GRACE_MILLIS);
			long overdue = left(producers, reports);
			long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
			while (left(producers, reports) > 0 && System.nanoTime() < end) {
				TimeUnit.MILLISECONDS.sleep(10);
			}
			check(left(producers, reports), reports.early.get(), reports.again.get());
			return List.of(new Measured(line + "accepted /s", producers.accepted.get() / seconds),
					new Measured(line + "dropped", producers.dropped.get()),
					new Measured(line + "dropped of cold games", producers.droppedOfCold.get()),
					new Measured(line + "left " + GRACE_MILLIS + " ms after the last was due", overdue),
					new Measured(line + "messages of a batch", (double) reports.handled.get() / reports.batches.get()),
					new Measured(line + "cold games' p50 ms", reports.cold(50)),
					new Measured(line + "cold games' p99 ms", reports.cold(99)));
		}
	}

	/**
	 * Returns the number of accepted reports that are neither dropped nor handled yet.
	 */
	private static long left(Producers producers, Reports reports) {
		return producers.accepted.get() - producers.dropped.get() - reports.handled.get();
	}

	/**
	 * Checks the numbers of reports after the end of a run.
	 * @throws BenchmarkException if reports were left, handled early or handled twice
	 */
	static void check(long left, long early, long again) {
		if (left != 0 || early > 0 || again > 0) {
			throw new BenchmarkException(
					left + " reports were left at the end, " + early + " were early, " + again + " were handled twice");
		}
	}

	/**
	 * Threads that schedule reports, each an equal part of the rate, one report at a
	 * time.
	 */
	private static final class Producers {

		private final DelayQueueOperations delayQueue;

		private final int seconds;

		private final AtomicLong accepted = new AtomicLong();

		private final AtomicLong dropped = new AtomicLong();

		private final AtomicLong droppedOfCold = new AtomicLong();

		Producers(DelayQueueOperations delayQueue, int seconds) {
			this.delayQueue = delayQueue;
			this.seconds = seconds;
		}

		void run() throws InterruptedException {
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < PRODUCERS; i++) {
				int producer = i;
				threads.add(BarePeer.daemon("producer-" + i, () -> produce(producer)));
			}
			for (Thread thread : threads) {
				thread.join();
			}
		}

		private void produce(int producer) throws InterruptedException {
			Zipf games = new Zipf(new Random(producer));
			int rate = RATE / PRODUCERS;
			int first = producer * rate * this.seconds;
			long began = System.nanoTime();
			for (int sent = 0; sent < rate * this.seconds;) {
				long wanted = Math.min((long) rate * this.seconds, (System.nanoTime() - began) * rate / 1_000_000_000L);
				for (; sent < wanted; sent++) {
					long due = System.currentTimeMillis() + AHEAD_MILLIS;
					int game = games.next();
					ScheduleResult result = this.delayQueue.schedule(ScheduleRequest.to("reports")
						.group("game-" + game)
						.payload(new Message(first + sent, due).payload())
						.dueAt(Instant.ofEpochMilli(due)));
					this.accepted.incrementAndGet();
					this.dropped.addAndGet(result.dropped().size());
					if (game >= HOT) {
						this.droppedOfCold.addAndGet(result.dropped().size());
					}
				}
				TimeUnit.MILLISECONDS.sleep(1);
			}
		}

	}

	/** The listener that handles batches of reports and counts them. */
	static final class Reports {

		private final int slower;

		private final AtomicLong handled = new AtomicLong();

		private final AtomicLong batches = new AtomicLong();

		private final AtomicLong early = new AtomicLong();

		private final AtomicLong again = new AtomicLong();

		private final AtomicIntegerArray times;

		private final ConcurrentLinkedQueue<Long> coldLateMicros = new ConcurrentLinkedQueue<>();

		Reports(int slower, int most) {
			this.slower = slower;
			this.times = new AtomicIntegerArray(most);
		}

		@DelayedListener(queue = "reports", batch = "128", batchWait = "200ms", groupBy = true)
		void handle(List<DelayedMessage<String>> batch) throws InterruptedException {
			long now = Ledger.nowMicros();
			int game = Integer.parseInt(batch.get(0).group().orElseThrow().substring("game-".length()));
			for (DelayedMessage<String> message : batch) {
				Message report = Message.of(message.payload());
				if (this.times.incrementAndGet(report.number()) > 1) {
					this.again.incrementAndGet();
				}
				long late = now - report.dueMillis() * 1000;
				if (late < 0) {
					this.early.incrementAndGet();
				}
				if (game >= HOT) {
					this.coldLateMicros.add(late);
				}
			}
			TimeUnit.MICROSECONDS.sleep((game == 0) ? this.slower * HANDLER_MICROS : HANDLER_MICROS);
			this.handled.addAndGet(batch.size());
			this.batches.incrementAndGet();
		}

		double cold(int percent) {
			return Ledger.percentile(this.coldLateMicros.stream().mapToLong(Long::longValue).toArray(), percent)
					/ 1000.0;
		}

	}

	/**
	 * Selects games at random; the probability of the n-th game is proportional to 1/n.
	 */
	private static final class Zipf {

		private final Random random;

		private final double[] upTo = new double[GAMES];

		Zipf(Random random) {
			this.random = random;
			double sum = 0;
			for (int i = 0; i < GAMES; i++) {
				sum += 1.0 / (i + 1);
				this.upTo[i] = sum;
			}
		}

		int next() {
			int index = Arrays.binarySearch(this.upTo, this.random.nextDouble() * this.upTo[GAMES - 1]);
			return (index >= 0) ? index : -index - 1;
		}

	}

}
