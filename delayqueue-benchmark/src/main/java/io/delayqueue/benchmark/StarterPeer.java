package io.delayqueue.benchmark;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.RedisServer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/**
 * An application with the unmodified starter, including metrics. Only the concurrency of
 * the queue is set, as a queue with bursts and short handlers needs.
 */
final class StarterPeer implements Peer {

	static final String QUEUE = "benchmark";

	static final String[] PROPERTIES = { "spring.main.banner-mode=off", "logging.level.root=error" };

	private static final String CONCURRENCY = "delayqueue.queues." + QUEUE + ".concurrency=200";

	private final RedisServer server;

	private final int groups;

	private final Applications applications;

	private final DelayQueueOperations delayQueue;

	StarterPeer(Target target, Consumer<String> handler) {
		this(target, 1, (application) -> handler, CONCURRENCY);
	}

	/**
	 * Starts several applications. The first application schedules messages.
	 * @param target the Redis server of the applications
	 * @param applications the number of applications
	 * @param handlers returns the handler of the application with the given number, from
	 * 0 on
	 * @param properties additional properties, each as {@code name=value}
	 */
	StarterPeer(Target target, int applications, IntFunction<Consumer<String>> handlers, String... properties) {
		this.server = target.server();
		this.groups = target.groups();
		this.applications = new Applications(applications,
				(application) -> start(target, new Listener(handlers.apply(application)), properties));
		this.delayQueue = this.applications.first().getBean(DelayQueueOperations.class);
	}

	/**
	 * Starts an application that uses the starter.
	 * @param target the Redis server of the application
	 * @param listener a bean with listeners
	 * @param properties additional properties, each as {@code name=value}
	 */
	static ConfigurableApplicationContext start(Target target, Object listener, String... properties) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(PROPERTIES)
			.properties(target.all(properties))
			.initializers((context) -> register(context, "listener", listener))
			.run();
	}

	@SuppressWarnings("unchecked")
	static <T> void register(ConfigurableApplicationContext context, String name, T bean) {
		((GenericApplicationContext) context).registerBean(name, (Class<T>) bean.getClass(), () -> bean);
	}

	/** Returns the Spring property that sets the address of a Redis server. */
	static String at(RedisServer server) {
		return "spring.data.redis.url=" + server.uri();
	}

	static ScheduleRequest request(Message message) {
		return ScheduleRequest.to(QUEUE).payload(message.payload()).dueAt(Instant.ofEpochMilli(message.dueMillis()));
	}

	@Override
	public void schedule(Message message) {
		this.delayQueue.schedule(inGroup(message));
	}

	@Override
	public void scheduleAll(List<Message> messages) {
		this.delayQueue.scheduleAll(messages.stream().map(this::inGroup).toList()).forEach(StarterPeer::check);
	}

	private ScheduleRequest inGroup(Message message) {
		ScheduleRequest request = request(message);
		return (this.groups > 0) ? request.group("group-" + message.number() % this.groups) : request;
	}

	private static void check(ScheduleAnswer answer) {
		if (!answer.isAccepted()) {
			throw new BenchmarkException("a message was not accepted: " + answer);
		}
	}

	@Override
	public long waiting() {
		return Long.parseLong(String.valueOf(this.server.call("HLEN", "dq:{" + QUEUE + ":0}:messages")));
	}

	@Override
	public void close() {
		this.applications.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	/**
	 * The listener of the application.
	 */
	record Listener(Consumer<String> handler) {

		@DelayedListener(queue = QUEUE)
		void handle(String payload) {
			this.handler.accept(payload);
		}

	}

}
