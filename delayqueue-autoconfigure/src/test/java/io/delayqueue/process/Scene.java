package io.delayqueue.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.process.Journal.Line;
import io.delayqueue.process.WorkerProcess.Program;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.FileSystemUtils;

/**
 * A Redis, worker processes on it, the journal that they write, and a producer in this
 * process. The visibility timeout is one second, the shortest.
 */
final class Scene implements AutoCloseable {

	static final Duration VISIBILITY_TIMEOUT = Duration.ofSeconds(1);

	/** How often a process looks for what silent ones hold. */
	static final Duration RECLAIM_INTERVAL = Duration.ofSeconds(5);

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final Path directory;

	private final RedisServer redis = RedisServer.builder().start();

	private final Journal journal;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final ConfigurableApplicationContext producer;

	Scene() {
		try {
			this.directory = Files.createTempDirectory("delayqueue-workers-");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.journal = Journal.at(this.directory.resolve("journal"));
		this.producer = new SpringApplicationBuilder(Producer.class).web(WebApplicationType.NONE)
			.run(arguments().toArray(String[]::new));
	}

	@Configuration(proxyBeanMethods = false)
	@LibraryOnly
	static class Producer {

	}

	private List<String> arguments(String... more) {
		Map<String, String> properties = new LinkedHashMap<>(
				Map.of("spring.data.redis.url", this.redis.uri().toString(), "spring.data.redis.client-type", "jedis",
						"spring.main.banner-mode", "off", "delayqueue.defaults.visibility-timeout", "1s"));
		for (String property : more) {
			int equals = property.indexOf('=');
			properties.put(property.substring(0, equals), property.substring(equals + 1));
		}
		return properties.entrySet()
			.stream()
			.map((property) -> "--" + property.getKey() + "=" + property.getValue())
			.toList();
	}

	RedisServer redis() {
		return this.redis;
	}

	Journal journal() {
		return this.journal;
	}

	/** Starts a worker with these properties, {@code name=value}; waits for nothing. */
	WorkerProcess launch(String name, String... properties) {
		return launch(Worker.class, name, properties);
	}

	WorkerProcess launch(Class<?> main, String name, String... properties) {
		WorkerProcess worker = WorkerProcess.launch(name,
				new Program(main, this.directory, List.of(), arguments(properties)), this.journal);
		this.workers.add(worker);
		return worker;
	}

	DelayQueueOperations queues() {
		return this.producer.getBean(DelayQueueOperations.class);
	}

	DelayQueueAdmin admin() {
		return this.producer.getBean(DelayQueueAdmin.class);
	}

	/**
	 * Schedules a message that is due at once.
	 * @param name the name that the journal has for it
	 * @param work what its handler does
	 * @return its id, which is generated
	 */
	String schedule(String queue, String name, String work) {
		return queues().schedule(queue, name + " " + work, Duration.ZERO).id();
	}

	/** The lines that are wanted, in their order. */
	List<Line> lines(Predicate<Line> wanted) {
		return this.journal.lines().stream().filter(wanted).toList();
	}

	List<Line> begins(String name) {
		return events("begin", name);
	}

	List<Line> ends(String name) {
		return events("end", name);
	}

	List<Line> events(String event, String id) {
		return lines((line) -> line.event().equals(event) && line.id().equals(id));
	}

	/** Waits until there are so many such lines. */
	List<Line> await(String event, String id, int count) {
		Awaitility.await(count + " of " + event + " of " + id)
			.atMost(LIMIT)
			.until(() -> events(event, id).size() >= count);
		return events(event, id);
	}

	/** Waits until the queue's only partition has no message, and nothing pending. */
	void awaitEmpty(String queue) {
		Awaitility.await(queue + " is empty")
			.atMost(LIMIT)
			.until(() -> size("HLEN", queue, "messages") + size("ZCARD", queue, "scheduled")
					+ size("XLEN", queue, "ready") + size("HLEN", queue, "entries") == 0 && pending(queue) == 0);
	}

	long size(String command, String queue, String key) {
		return (Long) Objects.requireNonNull(this.redis.call(command, key(queue, key)));
	}

	/** How many messages of the queue are pending. */
	long pending(String queue) {
		List<?> summary = (List<?>) Objects
			.requireNonNull(this.redis.call("XPENDING", key(queue, "ready"), "consumers"));
		return (Long) summary.get(0);
	}

	/** The names of the consumers in the group. */
	List<String> consumers(String queue) {
		List<?> consumers = (List<?>) Objects
			.requireNonNull(this.redis.call("XINFO", "CONSUMERS", key(queue, "ready"), "consumers"));
		return consumers.stream().map((consumer) -> ((List<?>) consumer).get(1).toString()).toList();
	}

	/** How many connections are subscribed to hints. */
	long subscribers() {
		return String.valueOf(this.redis.call("CLIENT", "LIST", "TYPE", "pubsub")).lines().count();
	}

	static String key(String queue, String key) {
		return "dq:{" + queue + ":0}:" + key;
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerProcess::close);
		this.producer.close();
		this.journal.close();
		this.redis.close();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

}
