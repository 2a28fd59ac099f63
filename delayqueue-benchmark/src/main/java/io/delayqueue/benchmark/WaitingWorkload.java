package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.delayqueue.test.redis.RedisServer;

/**
 * W4: the memory of a waiting message, and the effect of many waiting messages on the
 * rates.
 */
final class WaitingWorkload implements Workload {

	private static final int BURST = 20_000;

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER, Contender.RAW, Contender.RAW_PIPELINED);
	}

	@Override
	public List<Measured> run(Contender contender, RedisServer server) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		for (int waiting : new int[] { 10_000, 100_000, 1_000_000 }) {
			server.call("FLUSHALL");
			Ledger ledger = new Ledger(BURST);
			try (Peer peer = contender.start(server, ledger::handle)) {
				double empty = Server.usedMemory(server);
				// A day ahead: none of them becomes due
				Messages.scheduleAll(peer, BURST, BURST + waiting,
						System.currentTimeMillis() + 24 * Messages.HOUR_MILLIS);
				String line = String.format(Locale.ROOT, "%,d waiting, ", waiting);
				measured.add(new Measured(line + "bytes of one", (Server.usedMemory(server) - empty) / waiting));
				measured.add(new Measured(line + "drain /s", Burst.of(peer, ledger, server, BURST).perSecond()));
				measured.add(new Measured(line + "schedule by 8 threads /s",
						Messages.scheduleEach(peer, BURST, 8, System.currentTimeMillis() + Messages.HOUR_MILLIS)));
				Messages.check(peer, waiting + BURST);
			}
		}
		return measured;
	}

}
