package io.delayqueue.benchmark;

import java.util.List;
import java.util.stream.Stream;

/**
 * The sizes of the workloads with several applications. The system properties {@code
 * fleet.applications}, {@code fleet.members}, {@code fleet.seconds}, {@code fleet.burst}
 * and {@code fleet.queues} change these sizes.
 *
 * @param applications the numbers of applications for the measurements at a steady rate
 * @param members the number of applications for the burst and for the idle measurement
 * @param seconds how long each steady rate and each idle period lasts
 * @param burst the number of messages of a burst
 * @param queues the number of idle queues
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
