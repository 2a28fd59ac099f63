package io.delayqueue.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Workload W17: each of 1,000 groups has a rate limit. Nine of ten messages belong to one
 * group, which exceeds its limit. The workload measures the lateness of the messages of
 * all other groups.
 */
final class LimitedGroupsWorkload implements Workload {

	private static final String HOT = "hot";

	private static final int OTHERS = 999;

	private static final int RATE = 1000;

	private static final int RATE_OF_A_GROUP = 100;

	private static final int TENTH = 10;

	private static final int BULK = 5000;

	private final int count;

	LimitedGroupsWorkload(int seconds) {
		this.count = seconds * RATE;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		Ledger hot = new Ledger(this.count);
		Ledger others = new Ledger(this.count / TENTH);
		String prefix = "delayqueue.queues." + StarterPeer.QUEUE + ".group.rate-limit.";
		try (ConfigurableApplicationContext application = StarterPeer.start(target,
				new StarterPeer.Listener((payload) -> (isHot(payload) ? hot : others).handle(payload.substring(1))),
				prefix + "messages=" + RATE_OF_A_GROUP, prefix + "burst=" + RATE_OF_A_GROUP)) {
			DelayQueueOperations delayQueue = application.getBean(DelayQueueOperations.class);
			long due = System.currentTimeMillis() + 5_000;
			for (int from = 0; from < this.count; from += BULK) {
				delayQueue.scheduleAll(IntStream.range(from, Math.min(this.count, from + BULK))
					.mapToObj((number) -> request(number, due + number * 1000L / RATE))
					.toList());
			}
			if (System.currentTimeMillis() >= due) {
				throw new BenchmarkException("messages were due before all of them were scheduled");
			}
			TimeUnit.MILLISECONDS.sleep(due - System.currentTimeMillis());
			Server.watchSlow(target.server());
			others.await(Duration.ofSeconds(this.count / RATE).plusMinutes(1));
			double seconds = others.lastMicros() / 1e6 - due / 1e3;
			long ofHot = hot.handled();
			others.check();
			hot.checkHandled();
			return List.of(new Measured("the other groups' p50 ms", others.lateMillis(50)),
					new Measured("the other groups' p99 ms", others.lateMillis(99)),
					new Measured("the hot group, of its limit", ofHot / (RATE_OF_A_GROUP * (seconds + 1))),
					new Measured("longest script ms", Server.slowestScriptMillis(target.server())));
		}
	}

	private static boolean isHot(String payload) {
		return payload.startsWith("h");
	}

	private static ScheduleRequest request(int number, long due) {
		boolean isHot = number % TENTH != 0;
		int ofLedger = isHot ? number : number / TENTH;
		return ScheduleRequest.to(StarterPeer.QUEUE)
			.group(isHot ? HOT : "g-" + ofLedger % OTHERS)
			.payload((isHot ? "h" : "o") + new Message(ofLedger, due).payload())
			.dueAt(Instant.ofEpochMilli(due));
	}

}
