package io.delayqueue.soak;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

import io.delayqueue.process.fixture.Servers;

/**
 * The parameters of a soak. System properties named {@code soak.<component>} set them;
 * {@code soak.minutes} sets the time too.
 *
 * @param seed the seed of the faults
 * @param seconds the duration of messages and faults
 * @param workers the number of worker processes
 * @param down the most workers that are down at once; starting one takes seconds in which
 * it handles nothing, and the others have to keep up
 * @param rate messages scheduled each second
 * @param handling the longest time that a handler takes, ms; the shortest is 0
 * @param hanging number of messages of 10,000 whose handler hangs, for ever or beyond its
 * permitted time; a third of them each time; 0 for none, and then handlers may take an
 * hour
 * @param limited whether there is a second queue, with limits and holds
 * @param recurring whether there is a third queue, with recurring schedules and a history
 * @param frozen for how long at least a worker is frozen that is to leave the list of
 * members, s
 * @param concurrency the number of messages that a worker handles at once
 * @param drain the longest time, once the faults are over and all workers run, until
 * every message is handled or dead, s
 * @param faults the weight of each fault
 * @param server the kind of server
 * @param mutation the fault in the scripts
 */
record SoakPlan(long seed, int seconds, int workers, int down, int rate, int handling, int hanging, boolean limited,
		boolean recurring, int frozen, int concurrency, int drain, Map<Fault, Integer> faults, Servers.Kind server,
		Mutation mutation) {

	static final String QUEUE = "soak";

	static final int PARTITIONS = 2;

	static final Duration VISIBILITY_TIMEOUT = Duration.ofMillis(1500);

	/** Longer than a visibility timeout, and much longer than a handler takes. */
	static final Duration TIMEOUT = Duration.ofMillis(2000);

	static final int MAX_ATTEMPTS = 3;

	/**
	 * A limit that only a message which kills its processes could reach; no message of
	 * the soak does.
	 */
	static final int MAX_CRASHES = 10;

	SoakPlan {
		faults = Map.copyOf(faults);
	}

	/** The plan of the system properties. */
	static SoakPlan fromProperties() {
		Mutation mutation = Mutation.valueOf(System.getProperty("soak.mutation", Mutation.NONE.name()));
		return fromProperties(mutation, 90);
	}

	/** The plan for a mutation, as far as the system properties do not differ. */
	static SoakPlan fromProperties(Mutation mutation, int seconds) {
		int hanging = Integer.getInteger("soak.hanging", mutation.load().hanging());
		boolean limited = Boolean.parseBoolean(System.getProperty("soak.limited", "" + mutation.load().limited()));
		boolean recurring = Boolean
			.parseBoolean(System.getProperty("soak.recurring", "" + mutation.load().recurring()));
		int minutes = Integer.getInteger("soak.minutes", 0);
		int down = Integer.getInteger("soak.down", 1);
		return new SoakPlan(Long.getLong("soak.seed", 1),
				(minutes > 0) ? 60 * minutes : Integer.getInteger("soak.seconds", seconds),
				Integer.getInteger("soak.workers", 3), down, Integer.getInteger("soak.rate", mutation.load().rate()),
				Integer.getInteger("soak.handling", mutation.load().handlingMillis()), hanging, limited, recurring,
				Integer.getInteger("soak.frozen", 5), Integer.getInteger("soak.concurrency", 10),
				// A suspect that must run alone waits for a hanging handler for up to 15
				// s more
				Integer.getInteger("soak.drain", (hanging > 0) ? 45 : 15), faults(mutation, down, limited),
				Servers.Kind.valueOf(
						System.getProperty("soak.server", Servers.Kind.STANDALONE.name()).toUpperCase(Locale.ROOT)),
				mutation);
	}

	/** The same plan without a mutation. */
	SoakPlan sound() {
		return new SoakPlan(this.seed, this.seconds, this.workers, this.down, this.rate, this.handling, this.hanging,
				this.limited, this.recurring, this.frozen, this.concurrency, this.drain, this.faults, this.server,
				Mutation.NONE);
	}

	/** Returns a plan of a third of the time, with refusals as the only faults. */
	SoakPlan refusing() {
		return new SoakPlan(this.seed, this.seconds / 3, this.workers, this.down, this.rate, this.handling,
				this.hanging, this.limited, this.recurring, this.frozen, this.concurrency, this.drain,
				Map.of(Fault.REFUSE_WRITES, 2, Fault.REFUSE_DEAD_LETTERS, 1, Fault.REFUSE_SETTLEMENTS, 1), this.server,
				this.mutation);
	}

	/** Chosen with {@code -Dsoak.faults=KILL_WORKER:40,CLIENT_KILL:8}. */
	private static Map<Fault, Integer> faults(Mutation mutation, int down, boolean limited) {
		String chosen = System.getProperty("soak.faults", "");
		Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
		if (!chosen.isEmpty()) {
			for (String fault : chosen.split(",")) {
				String[] parts = fault.split(":");
				faults.put(Fault.valueOf(parts[0]), Integer.valueOf(parts[1]));
			}
			return faults;
		}
		if (!mutation.faults().isEmpty()) {
			return mutation.faults();
		}
		for (Fault fault : Fault.values()) {
			if ((fault != Fault.DAMAGE || Boolean.getBoolean("soak.damage")) && (fault != Fault.HOLD || limited)
					&& (down > 1 || !Fault.OF_TWO_WORKERS.contains(fault))) {
				faults.put(fault, fault.weight());
			}
		}
		return faults;
	}

}
