package io.delayqueue.journey;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.fault.fixture.Scripts;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.CommandLog;
import io.delayqueue.test.redis.CommandLog.Command;
import io.delayqueue.test.redis.RespClient;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * What a test needs that starts one actor by itself: the store of an application without
 * listeners, partitions of its own, and a count of the calls for each of them.
 */
public final class ActorBench implements AutoCloseable {

	private final AtomicInteger queues = new AtomicInteger();

	private final TestApplication applications;

	private final ConfigurableApplicationContext application;

	private final RespClient redis;

	private final CommandLog log;

	public ActorBench(URI redis) {
		this.applications = new TestApplication(redis);
		this.application = this.applications.start();
		this.redis = RespClient.connect(redis);
		this.log = CommandLog.of(redis);
	}

	/** A bean of the application. */
	public <T> T bean(Class<T> type) {
		return this.application.getBean(type);
	}

	/** The only partition of a new queue. */
	public Partition partition() {
		return new Partition("queue-" + this.queues.incrementAndGet(), 0);
	}

	public String prefix() {
		return this.applications.prefix();
	}

	/** Schedules without a signal to the actors under test. */
	public void schedule(Partition partition, String id, Duration delay) {
		bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to(partition.queue()).payload("p").id(id).delay(delay));
	}

	/** Moves to the stream what is due. */
	public void sweep(Partition partition) {
		bean(DueMessages.class).sweep(partition, new SweepLimits(100, 100, 0, Map.of()), "");
	}

	/** Sweeps, and reads all that is ready. */
	public List<Entry> take(Partition partition, String consumer) {
		sweep(partition);
		return bean(ReadyMessages.class).read(partition, consumer, 100).entries();
	}

	/** Stores the version of a partition's layout; this library has the first one. */
	public void layout(Partition partition, int version) {
		call("HSET", partition, "control", "layout", Integer.toString(version));
	}

	/** Sends a command about a key of a partition. */
	public String call(String command, Partition partition, String key, String... arguments) {
		String[] words = new String[arguments.length + 2];
		words[0] = command;
		words[1] = prefix() + ":{" + partition + "}:" + key;
		System.arraycopy(arguments, 0, words, 2, arguments.length);
		return String.valueOf(this.redis.call(words));
	}

	/** The arguments of the calls of a script for a partition. */
	public List<List<String>> scripts(String script, Partition partition) {
		String digest = Scripts.digest(script);
		return commands("EVALSHA", partition).stream().filter((arguments) -> arguments.get(0).equals(digest)).toList();
	}

	/** The arguments of the commands of a name for a partition. */
	public List<List<String>> commands(String name, Partition partition) {
		String beginning = prefix() + ":{" + partition + "}:";
		return this.log.commands()
			.stream()
			.filter((command) -> command.name().equals(name))
			.map(Command::arguments)
			.filter((arguments) -> arguments.stream().anyMatch((argument) -> argument.startsWith(beginning)))
			.toList();
	}

	/** How many commands of a name there were. */
	public long count(String name) {
		return this.log.count(name);
	}

	/** The wake-ups of a process in which this takes the place of the sweeper. */
	public static Signals signals(Consumer<Partition> sweeper) {
		Signals signals = new Signals();
		signals.register(new Signals.SweepSignals() {

			@Override
			public void consuming(String queue, int partitions, int concurrency) {
			}

			@Override
			public void notConsuming(String queue) {
			}

			@Override
			public void due(String queue, int partition, long inNanos) {
				sweeper.accept(new Partition(queue, partition));
			}

		});
		return signals;
	}

	@Override
	public void close() {
		this.log.close();
		this.redis.close();
		this.applications.close();
	}

}
