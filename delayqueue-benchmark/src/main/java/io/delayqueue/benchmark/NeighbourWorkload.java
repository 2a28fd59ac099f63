package io.delayqueue.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.ScheduleRequest;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Workload W7: very many messages of one queue are due in the same millisecond. The
 * workload measures the lateness of the messages of another queue meanwhile, and the
 * longest run of a script.
 */
final class NeighbourWorkload implements Workload {

	private static final int BULK = 5000;

	private static final int RATE = 200;

	private final int backlog;

	private final int calm;

	NeighbourWorkload(Scale scale) {
		this.backlog = scale.count(100_000);
		this.calm = scale.seconds(10) * RATE;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		Ledger backlog = new Ledger(this.backlog);
		Ledger calm = new Ledger(this.calm);
		try (ConfigurableApplicationContext application = StarterPeer.start(target, new Both(backlog, calm))) {
			DelayQueueOperations delayQueue = application.getBean(DelayQueueOperations.class);
			long due = System.currentTimeMillis() + 5_000 + this.backlog / 5;
			for (int from = 0; from < this.backlog; from += BULK) {
				delayQueue.scheduleAll(IntStream.range(from, Math.min(this.backlog, from + BULK))
					.mapToObj((number) -> request("backlog", number, due))
					.toList());
			}
			// The first message of the other queue has the same due time
			for (int from = 0; from < this.calm; from += BULK) {
				delayQueue.scheduleAll(IntStream.range(from, Math.min(this.calm, from + BULK))
					.mapToObj((number) -> request("calm", number, due + number * 1000L / RATE))
					.toList());
			}
			if (System.currentTimeMillis() >= due) {
				throw new BenchmarkException("the messages were due before all of them were scheduled");
			}
			TimeUnit.MILLISECONDS.sleep(due - System.currentTimeMillis());
			Server.watchSlow(target.server());
			backlog.await(Duration.ofMinutes(5));
			double seconds = backlog.lastMicros() / 1e6 - due / 1e3;
			calm.await(Duration.ofMinutes(1));
			int beside = (int) Math.min(this.calm, seconds * RATE);
			backlog.check();
			calm.check();
			return List.of(new Measured("the other queue's p50 ms", calm.lateMillis(50, 0, beside)),
					new Measured("the other queue's p99 ms", calm.lateMillis(99, 0, beside)),
					new Measured("longest script ms", Server.slowestScriptMillis(target.server())),
					new Measured("the backlog is handled after s", seconds));
		}
	}

	private static ScheduleRequest request(String queue, int number, long due) {
		return ScheduleRequest.to(queue).payload(new Message(number, due).payload()).dueAt(Instant.ofEpochMilli(due));
	}

	record Both(Ledger ofBacklog, Ledger ofCalm) {

		@DelayedListener(queue = "backlog")
		void backlog(String payload) {
			this.ofBacklog.handle(payload);
		}

		@DelayedListener(queue = "calm")
		void calm(String payload) {
			this.ofCalm.handle(payload);
		}

	}

}
