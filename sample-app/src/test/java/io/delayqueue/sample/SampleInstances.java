package io.delayqueue.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Two instances of the sample in this JVM, with their own Redis. Calls alternate between
 * the instances.
 */
public final class SampleInstances implements AutoCloseable {

	private final RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.EVERY_SECOND).start();

	private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

	private final List<SampleClient> clients = new ArrayList<>();

	private final AtomicInteger turn = new AtomicInteger();

	private SampleInstances() {
	}

	public static SampleInstances start(String... properties) {
		SampleInstances instances = new SampleInstances();
		try {
			instances.launch(properties);
			instances.launch(properties);
			return instances;
		}
		catch (RuntimeException ex) {
			instances.close();
			throw ex;
		}
	}

	private void launch(String... properties) {
		Stream<String> own = Stream.of("server.port=0", "spring.main.banner-mode=off",
				"spring.data.redis.url=" + this.redis.uri());
		ConfigurableApplicationContext context = new SpringApplicationBuilder(SampleApplication.class)
			.run(Stream.concat(own, Stream.of(properties)).map((property) -> "--" + property).toArray(String[]::new));
		this.contexts.add(context);
		this.clients
			.add(new SampleClient(context.getEnvironment().getRequiredProperty("local.server.port", int.class)));
	}

	/** The client of the next instance. */
	public SampleClient client() {
		return client(this.turn.getAndIncrement() % 2);
	}

	public SampleClient client(int instance) {
		return this.clients.get(instance);
	}

	public void stop(int instance) {
		this.contexts.get(instance).close();
	}

	public <T> T bean(Class<T> type) {
		return this.contexts.get(0).getBean(type);
	}

	public RedisServer redis() {
		return this.redis;
	}

	@Override
	public void close() {
		this.contexts.forEach(ConfigurableApplicationContext::close);
		this.redis.close();
	}

}
