package io.delayqueue.store;

import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a history costs: commands of the scripts that end messages, and memory.
 */
@Tag("slow")
class HistoryCostIntegrationTests extends GroupOfTwo {

	private static final String WEEK = Duration.ofDays(7).toMillis() + "|100000";

	private static final int MANY = 4000;

	private static final int TIMES = 160;

	@RegisterExtension
	final CountedStore counted = new CountedStore(this.partition);

	private enum Way {

		ACKNOWLEDGE, DEAD_LETTER, CANCEL, DISCARD, PURGE, CANCEL_GROUP, DROP

	}

	@Test
	void anEndCostsTwoCommandsAndSometimesThoseThatRemoveOldOnes() {
		Map<Way, Long> without = new EnumMap<>(Way.class);
		for (Way way : Way.values()) {
			without.put(way, cost(way));
		}
		this.store.keep(WEEK);
		for (Way way : Way.values()) {
			double more = (double) (cost(way) - without.get(way)) / TIMES;
			System.out.println(
					way + ": " + without.get(way) / (double) TIMES + " commands, with a history " + more + " more");
			// 2 to remove old ends in about every sixteenth call
			assertThat(more).as("%s", way).isBetween(2.0, (way == Way.DROP) ? 3.5 : 2.5);
		}
	}

	private long cost(Way way) {
		long commands = 0;
		for (int n = 0; n < TIMES; n++) {
			commands += cost(way, n);
		}
		this.partition.command("DEL", Key.DONE);
		return commands;
	}

	private long cost(Way way, int n) {
		String id = way + "-" + n;
		switch (way) {
			case ACKNOWLEDGE, DEAD_LETTER, DISCARD -> this.store.schedule(id, DUE, n);
			case CANCEL, PURGE -> this.store.schedule(id, FAR, n);
			case CANCEL_GROUP -> this.store.schedule(message(id, FAR));
			case DROP -> stored(this.dropping, id + "-a", id + "-b");
		}
		Entry taken = (way.ordinal() <= 1 || way == Way.DISCARD) ? this.store.take("holder").get(0) : null;
		if (way == Way.DISCARD && taken != null) {
			this.store.deadLetter(taken, "it broke");
		}
		this.counted.cost();
		switch (way) {
			case ACKNOWLEDGE -> this.counted.store().acknowledge(taken);
			case DEAD_LETTER -> this.counted.store().deadLetter(taken, "it broke");
			case CANCEL -> this.counted.store().cancel(id, 1000 + n);
			case DISCARD -> this.counted.store().discard(id);
			case PURGE -> this.counted.store().purge(false, id);
			case CANCEL_GROUP -> this.counted.store().purgeGroup(GROUP, id);
			case DROP -> this.counted.store().with(YOUNGEST_TWO).schedule(message(id + "-c", DUE));
		}
		long commands = this.counted.cost().commands();
		this.store.purge(true, id, id + "-b", id + "-c");
		return commands;
	}

	@Test
	void aFinishedMessageTakesAtMostTwoHundredBytes() {
		this.store.keep(WEEK);
		GeneratedIds ids = new GeneratedIds(Clock.systemUTC());
		System.out.println("generated ids: " + bytes((n) -> ids.next(0)));
		System.out.println("UUIDs: " + bytes((n) -> UUID.randomUUID().toString()));
	}

	private double bytes(java.util.function.IntFunction<String> ids) {
		this.partition.command("DEL", Key.HISTORY);
		this.partition.command("DEL", Key.ENDS);
		for (int from = 0; from < MANY; from += 100) {
			for (int n = from; n < from + 100; n++) {
				this.store.schedule(ids.apply(n), DUE, n);
			}
			List<Entry> taken = this.store.take("holder");
			this.store.acknowledge(taken.toArray(Entry[]::new));
			this.partition.command("DEL", Key.DONE);
		}
		assertThat(this.partition.redis().text("XLEN", this.partition.key(Key.HISTORY))).isEqualTo("" + MANY);
		double bytes = (double) (memory(Key.HISTORY) + memory(Key.ENDS)) / MANY;
		assertThat(bytes).isLessThanOrEqualTo(200);
		return bytes;
	}

	private long memory(Key key) {
		return Long.parseLong(this.partition.redis().text("MEMORY", "USAGE", this.partition.key(key), "SAMPLES", "0"));
	}

}
