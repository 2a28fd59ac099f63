package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.benchmark.VariedWorkload.Variant;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;

/**
 * Creates all workloads of the benchmark, by their names.
 */
final class Workloads {

	private static final Set<Contender> STARTER = EnumSet.of(Contender.STARTER);

	private static final Set<Contender> LIMITS = EnumSet.of(Contender.STARTER, Contender.RAW, Contender.RAW_PIPELINED);

	private Workloads() {
	}

	static Map<String, Workload> of(Scale scale) {
		FleetSize fleet = FleetSize.configured(scale);
		Map<String, Workload> workloads = new LinkedHashMap<>();
		workloads.put("W1", schedules(scale));
		workloads.put("W2", bursts(scale));
		workloads.put("W3", new LatenessWorkload(scale.seconds(15), 100, 1000, 5000));
		workloads.put("W4", new WaitingWorkload(scale));
		workloads.put("W5", new IdleWorkload(scale.seconds(60), scale.seconds(10)));
		workloads.put("W6", new CpuWorkload(scale));
		workloads.put("W7", new NeighbourWorkload(scale));
		workloads.put("W8", new GamesWorkload(scale.seconds(60)));
		workloads.put("W9", new FleetWorkload(fleet));
		workloads.put("W10", new IdleFleetWorkload(fleet));
		workloads.put("W11", persistent(scale));
		workloads.put("W12", encrypted(scale));
		workloads.put("W13", large(scale));
		workloads.put("W14", new StartWorkload());
		workloads.put("W15", compared(scale, "history", "history.for=7d"));
		workloads.put("W16", compared(scale, "limit", "rate-limit.messages=1000000", "rate-limit.burst=1000000"));
		workloads.put("W17", new LimitedGroupsWorkload(scale.seconds(20)));
		workloads.put("W18", new RecoveryWorkload(scale));
		workloads.put("W19", features(new LatenessWorkload(scale.seconds(15), 1000)));
		return workloads;
	}

	private static Workload schedules(Scale scale) {
		return new ScheduleWorkload(scale.count(80_000), scale.count(30_000), scale.count(200_000));
	}

	private static Workload bursts(Scale scale) {
		return bursts(scale, 20_000, 200_000);
	}

	private static Workload bursts(Scale scale, int... counts) {
		return new BurstWorkload(Duration.ofSeconds(scale.seconds(10)),
				IntStream.of(counts).map(scale::count).toArray());
	}

	/**
	 * Creates workload W11: W1 to W3 with persistence of Redis, compared with the same
	 * workloads without persistence.
	 */
	private static Workload persistent(Scale scale) {
		Workload[] each = { schedules(scale), bursts(scale), new LatenessWorkload(scale.seconds(10), 100, 1000, 5000) };
		return new VariedWorkload(LIMITS, new Variant("without", (target) -> target, each),
				new Variant("everysec", (target) -> persistent(AppendOnly.EVERY_SECOND), each),
				new Variant("always", (target) -> persistent(AppendOnly.ALWAYS), each));
	}

	private static Target persistent(AppendOnly appendOnly) {
		return Target.of(RedisServer.builder().appendOnly(appendOnly).start());
	}

	/**
	 * Creates workload W12: W1 and W2 over TLS, compared with the same workloads without
	 * TLS.
	 */
	private static Workload encrypted(Scale scale) {
		Workload[] each = { schedules(scale), bursts(scale) };
		return new VariedWorkload(LIMITS, new Variant("without", (target) -> target, each),
				new Variant("TLS", (target) -> Certificate.create().start(RedisServer.builder()), each));
	}

	/**
	 * Creates workload W13: W1 and W2 with large payloads, of which at most 100 MB are
	 * stored at once.
	 */
	private static Workload large(Scale scale) {
		return new VariedWorkload(LIMITS,
				new Variant("4 KB", (target) -> target.withPayload(4 << 10),
						new ScheduleWorkload(scale.count(20_000), scale.count(10_000), scale.count(20_000)),
						bursts(scale, 20_000)),
				new Variant("64 KB", (target) -> target.withPayload(64 << 10),
						new ScheduleWorkload(scale.count(1_500), scale.count(1_500), scale.count(1_500)),
						bursts(scale, 1_500)));
	}

	/**
	 * Creates workload W19: a steady rate in a queue with further features, compared with
	 * a queue without them. No message is held up by a limit.
	 */
	private static Workload features(Workload steady) {
		return new VariedWorkload(STARTER, new Variant("plain", (target) -> target, steady),
				with("history", steady, "history.for=7d"), with("expiry", steady, "expiry.after=1h"),
				with("rate limit", steady, "rate-limit.messages=5000"),
				with("max in flight", steady, "max-in-flight=200"),
				new Variant("groups", (target) -> target.withGroups(100), steady), new Variant("groups with a limit",
						(target) -> target.withGroups(100).withProperties(ofQueue("group.concurrency=10")), steady));
	}

	private static Variant with(String feature, Workload workload, String setting) {
		return new Variant(feature, (target) -> target.withProperties(ofQueue(setting)), workload);
	}

	private static String ofQueue(String setting) {
		return "delayqueue.queues." + StarterPeer.QUEUE + "." + setting;
	}

	/**
	 * Creates workloads W15 and W16: bursts in a queue with additional settings, compared
	 * with bursts without these settings.
	 */
	private static Workload compared(Scale scale, String name, String... settings) {
		String[] properties = Arrays.stream(settings).map(Workloads::ofQueue).toArray(String[]::new);
		return new VariedWorkload(STARTER, new Variant("without", (target) -> target, bursts(scale)),
				new Variant("with " + name, (target) -> target.withProperties(properties), bursts(scale)));
	}

}
