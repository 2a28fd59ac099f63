package io.delayqueue.benchmark;

import java.util.List;
import java.util.stream.Stream;

/**
 * The sizes of the workloads with several applications, which system properties change:
 * {@code fleet.applications}, {@code fleet.members} and so on.
 *
 * @param applications the numbers of applications at a steady rate
 * @param members the number of applications of a burst, and of idle ones
 * @param seconds how long each rate lasts, and each idle period
 * @param burst the messages of a burst
 * @param queues the idle queues
 */
record FleetSize(List<Integer> applications, int members, int seconds, int burst, int queues) {

	static FleetSize configured(Scale scale) {
		return new FleetSize(
				Stream
					.of(System.getProperty("fleet.applications", (scale.factor() < 1) ? "1,10" : "1,10,50").split(","))
					.map(Integer::valueOf)
					.toList(),
				Integer.getInteger("fleet.members", 10), Integer.getInteger("fleet.seconds", scale.seconds(20)),
				Integer.getInteger("fleet.burst", scale.count(100_000)), Integer.getInteger("fleet.queues", 100));
	}

}
