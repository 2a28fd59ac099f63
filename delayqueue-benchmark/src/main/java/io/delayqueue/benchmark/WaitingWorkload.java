package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.delayqueue.test.redis.RedisServer;

/**
 * Workload W4: the memory of a waiting message, and the effect of many waiting messages
 * on the rates of scheduling and handling.
 */
final class WaitingWorkload implements Workload {

	private final int burst;

	private final int[] waiting;

	WaitingWorkload(Scale scale) {
		this.burst = scale.count(20_000);
		this.waiting = new int[] { scale.count(10_000), scale.count(100_000), scale.count(1_000_000) };
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER, Contender.RAW, Contender.RAW_PIPELINED);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		RedisServer server = target.server();
		List<Measured> measured = new ArrayList<>();
		for (int waiting : this.waiting) {
			server.call("FLUSHALL");
			Ledger ledger = new Ledger(this.burst);
			try (Peer peer = target.start(contender, ledger::handle)) {
				double bytes = bytesOfOne(peer, server, this.burst, waiting);
				String line = String.format(Locale.ROOT, "%,d waiting, ", waiting);
				measured.add(new Measured(line + "bytes of one", bytes));
				measured.add(new Measured(line + "drain /s",
						Burst.of(peer, ledger, server, this.burst, Message.SIZE).perSecond()));
				measured.add(new Measured(line + "schedule by 8 threads /s",
						Messages.scheduleEach(peer, this.burst, 8, System.currentTimeMillis() + Messages.HOUR_MILLIS)));
				Messages.check(peer, waiting + this.burst);
			}
		}
		return measured;
	}

	/**
	 * Schedules messages that do not become due during the workload, and returns the
	 * memory of Redis for each message.
	 * @param peer schedules the messages
	 * @param server the Redis server of the peer
	 * @param first the number of the first message
	 * @param count the number of messages
	 */
	static double bytesOfOne(Peer peer, RedisServer server, int first, int count) {
		double empty = Server.usedMemory(server);
		Messages.scheduleAll(peer, first, first + count, System.currentTimeMillis() + 24 * Messages.HOUR_MILLIS);
		return (Server.usedMemory(server) - empty) / count;
	}

}
