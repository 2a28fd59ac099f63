package io.delayqueue.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.HistoryPage;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.process.fixture.Journal;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.LibraryOnly;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.process.fixture.WorkerProcess.Program;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.soak.Checker.Left;
import io.delayqueue.soak.RecurringChecker.End;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.test.fault.LeftKeys;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.util.FileSystemUtils;

/**
 * One soak from start to result: the servers, the workers, a producer in this process,
 * and the faults.
 */
final class SoakRun {

	private static final int MOST_OF_A_PAGE = 1000;

	/** A schedule without an end, and dead letters that stay. */
	private static final List<String> NEVER_EMPTY = Stream
		.concat(Stream.of(Deployment.QUEUE), FailingQueues.NAMES.stream())
		.toList();

	private final SoakPlan plan;

	private Map<Fault, Integer> faults = Map.of();

	private SoakRun(SoakPlan plan) {
		this.plan = plan;
	}

	@Configuration(proxyBeanMethods = false)
	@LibraryOnly
	static class Producer {

		@Bean
		static BeanPostProcessor brokenScripts(Environment environment) {
			Mutation mutation = environment.getRequiredProperty("soak.broken", Mutation.class);
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof RedisAccess redis) {
						RedisTemplate<String, byte[]> template = redis.template();
						template.setScriptExecutor(new BrokenScripts(template, mutation));
					}
					return bean;
				}

			};
		}

	}

	/** Runs a soak and prints its plan and its result. */
	static SoakResult result(SoakPlan plan) throws IOException {
		SoakRun run = new SoakRun(plan);
		SoakResult result = run.run();
		// Printed and not logged, because the applications of the soak log only warnings
		System.out.println(plan + "\nfaults: " + run.faults + "\n" + result);
		return result;
	}

	/** Keeps the journal and the logs of the workers if a rule was broken. */
	private SoakResult run() throws IOException {
		Path directory = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "soak-");
		try (Servers servers = Servers.durable(this.plan.server())) {
			SoakResult result = run(directory, servers);
			if (result.complaints().isEmpty()) {
				FileSystemUtils.deleteRecursively(directory);
			}
			return result;
		}
	}

	private SoakResult run(Path directory, Servers servers) {
		List<String> arguments = new ArrayList<>(
				List.of("--" + servers.address(), "--spring.data.redis.client-type=jedis",
						"--spring.data.redis.timeout=1s", "--spring.main.banner-mode=off", "--logging.level.root=warn",
						"--delayqueue.defaults.partitions=" + SoakPlan.PARTITIONS,
						"--delayqueue.defaults.concurrency=" + this.plan.concurrency(),
						"--delayqueue.defaults.visibility-timeout=" + SoakPlan.VISIBILITY_TIMEOUT.toMillis() + "ms",
						"--delayqueue.defaults.timeout=" + timeoutMillis() + "ms",
						"--delayqueue.defaults.max-attempts=" + SoakPlan.MAX_ATTEMPTS,
						"--delayqueue.defaults.max-crashes=" + SoakPlan.MAX_CRASHES,
						// The window is long, so that a finished chosen id stays known
						"--delayqueue.defaults.done-window=1h",
						// A worker may start while Redis refuses
						"--delayqueue.defaults.back-off.first=100ms", "--delayqueue.startup-checks=warn",
						"--soak.handling=" + this.plan.handling(),
						// Repair must not fix the mutation before it shows
						"--soak.audit=" + ((this.plan.mutation() == Mutation.NONE) ? "2s" : "1d"),
						"--soak.broken=" + this.plan.mutation(),
						"--soak.separate-steps=" + (this.plan.mutation() == Mutation.SEPARATE_STEPS),
						"--spring.application.name=soak", "--soak.limited=" + this.plan.limited(),
						"--soak.recurring=" + this.plan.recurring()));
		arguments.addAll(LongQueue.arguments());
		arguments.addAll(NarrowQueues.arguments(this.plan.workers()));
		arguments.addAll(FailingQueues.arguments());
		if (this.plan.limited()) {
			arguments.addAll(LimitedQueue.arguments());
		}
		if (this.plan.recurring()) {
			arguments.addAll(RecurringQueue.arguments());
		}
		Program program = new Program(SoakWorker.class, directory,
				this.plan.mutation().scripts(directory.resolve("scripts")), arguments);
		try (Journal journal = Journal.at(program.journal());
				Writer writer = Writer.to(program.journal(), "soak");
				Fleet fleet = new Fleet(program, journal, writer, this.plan.workers());
				PendingWatch pending = new PendingWatch(servers, writer);
				ConfigurableApplicationContext context = new SpringApplicationBuilder(Producer.class)
					.web(WebApplicationType.NONE)
					.run(arguments.toArray(String[]::new))) {
			fleet.awaitReady();
			DelayQueueEngine engine = context.getBean(DelayQueueEngine.class);
			DelayQueueOperations operations = engine.operations();
			FailingQueues.begin(operations);
			SoakProducer producer = new SoakProducer(operations, this.plan, writer);
			Faults nemesis = new Faults(this.plan, servers, fleet, engine, journal, writer);
			CompletableFuture<Void> producing = CompletableFuture.runAsync(producer::run);
			LimitedProducer limited = new LimitedProducer(operations, this.plan);
			CompletableFuture<Void> producingLimited = this.plan.limited() ? CompletableFuture.runAsync(limited::run)
					: CompletableFuture.completedFuture(null);
			RecurringProducer recurring = new RecurringProducer(engine, this.plan, writer);
			CompletableFuture<Void> producingRecurring = this.plan.recurring()
					? CompletableFuture.runAsync(recurring::run) : CompletableFuture.completedFuture(null);
			nemesis.run();
			this.faults = nemesis.happened();
			producing.join();
			producingLimited.join();
			producingRecurring.join();
			fleet.awaitReady();
			QueueDirectory queues = engine.directory();
			FailingQueues.end(operations);
			Left left = drain(servers, queues);
			if (this.plan.limited()) {
				limited.runUndisturbed();
				left = drain(servers, queues);
				NarrowQueues.schedule(operations);
				left = drain(servers, queues);
			}
			List<String> waiting = FailingQueues.await(servers);
			List<Line> lines = journal.lines();
			LimitChecker limits = new LimitChecker(limited.accepted(), lines, pending.most(),
					history(engine.admin(), LimitedQueue.NAME).size());
			RecurringChecker schedules = new RecurringChecker(recurring.calls(), lines,
					history(engine.admin(), RecurringQueue.NAME));
			LongChecker fullWorkers = new LongChecker(lines);
			SickMasterChecker sickMasters = new SickMasterChecker(lines, servers);
			SoakResult result = new Checker(producer.calls(), lines, left).judge()
				.with(limits.judge())
				.with(schedules.judge())
				.with(fullWorkers.violations())
				.with(NarrowQueues.violations(lines))
				.with(FailingQueues.violations(lines, waiting))
				.with(sickMasters.violations());
			System.out.println(String.join("\n", limits.figures(), schedules.figures(), fullWorkers.figures(),
					NarrowQueues.figures(lines), sickMasters.figures()));
			return result;
		}
	}

	private static List<End> history(DelayQueueAdmin admin, String queue) {
		List<End> ends = new ArrayList<>();
		HistoryPage page = admin.history(queue, null, MOST_OF_A_PAGE);
		while (page.next() != null) {
			page.messages().forEach((message) -> ends.add(End.of(message)));
			page = admin.history(queue, page.next(), MOST_OF_A_PAGE);
		}
		page.messages().forEach((message) -> ends.add(End.of(message)));
		return ends;
	}

	private long timeoutMillis() {
		boolean hang = this.plan.hanging() > 0 && this.plan.mutation() != Mutation.NOTHING_IS_ABANDONED;
		return (hang ? SoakPlan.TIMEOUT : Duration.ofHours(1)).toMillis();
	}

	/**
	 * Waits until only dead letters are left, no schedule has an instant to come, and all
	 * keys are explained.
	 */
	private Left drain(Servers servers, QueueDirectory queues) {
		long began = System.nanoTime();
		while (true) {
			long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
			Left left = left(servers, partitions(queues), millis);
			boolean onlyTheDead = left.unsettled().isEmpty() && left.records().equals(left.dead())
					&& left.unexplained().isEmpty();
			if (onlyTheDead || millis > TimeUnit.SECONDS.toMillis(this.plan.drain())) {
				return left;
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
		}
	}

	private static List<Partition> partitions(QueueDirectory queues) {
		return Stream
			.of(List.of(SoakPlan.QUEUE, LimitedQueue.NAME, RecurringQueue.NAME, LongQueue.NAME, LongQueue.INNOCENT),
					NarrowQueues.QUEUES, NEVER_EMPTY)
			.flatMap(List::stream)
			.flatMap((queue) -> queues.read(queue).stream())
			.flatMap((epochs) -> epochs.partitions().stream())
			.toList();
	}

	private static Left left(Servers servers, List<Partition> partitions, long millis) {
		Set<String> records = new HashSet<>();
		Set<String> dead = new HashSet<>();
		Set<String> timedOut = new HashSet<>();
		Set<String> unsettled = new LinkedHashSet<>();
		for (Partition partition : partitions) {
			if (NEVER_EMPTY.contains(partition.queue())) {
				continue;
			}
			String prefix = "dq:{" + partition + "}:";
			try (RespClient client = servers.of(prefix + "messages").client()) {
				records.addAll(texts(client.call("HKEYS", prefix + "messages")));
				for (String id : texts(client.call("ZRANGE", prefix + "dead", "0", "-1"))) {
					dead.add(id);
					if (String.valueOf(client.call("HGET", prefix + "failures", id)).contains("TIMED_OUT")) {
						timedOut.add(id);
					}
				}
				unsettled.addAll(texts(client.call("ZRANGE", prefix + "scheduled", "0", "-1")));
				unsettled.addAll(texts(client.call("HKEYS", prefix + "entries")));
				unsettled.addAll(texts(client.call("ZRANGEBYSCORE", prefix + "recurrences", "-inf", "(+inf")));
				if (client.text("EXISTS", prefix + "ready").equals("0")) {
					continue;
				}
				for (Object entry : list(client.call("XRANGE", prefix + "ready", "-", "+"))) {
					unsettled.add(texts(list(entry).get(1)).get(1));
				}
				for (Object lease : list(client.call("XPENDING", prefix + "ready", "consumers", "-", "+", "10000"))) {
					unsettled.add("pending entry " + list(lease).get(0));
				}
			}
		}
		List<String> unexplained = new ArrayList<>();
		for (RedisServer server : servers.all()) {
			try (RespClient client = server.client()) {
				unexplained.addAll(LeftKeys.of(client, "dq", partitions));
			}
		}
		return new Left(records, dead, timedOut, new ArrayList<>(unsettled), unexplained, millis);
	}

	private static List<?> list(@Nullable Object reply) {
		return (List<?>) Objects.requireNonNull(reply);
	}

	private static List<String> texts(@Nullable Object reply) {
		return list(reply).stream().map(String::valueOf).toList();
	}

}
