package io.delayqueue.journey;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.delayqueue.DelayQueueOperations;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Starts and stops applications on one Redis, with a key prefix of the test's own. Each
 * is a process's worth: its own loops, pool, consumers.
 */
public final class TestApplication implements AutoCloseable {

	private final Map<String, String> properties = new LinkedHashMap<>();

	private final String prefix = "test-" + UUID.randomUUID();

	private final List<ConfigurableApplicationContext> started = new ArrayList<>();

	public TestApplication(URI redis) {
		with("spring.data.redis.url=" + redis);
		with("delayqueue.key-prefix=" + this.prefix);
		with("spring.data.redis.client-type=jedis");
		with("spring.main.banner-mode=off");
		with("spring.jmx.enabled=false");
		with("spring.lifecycle.timeout-per-shutdown-phase=5s");
	}

	/**
	 * Sets a property, {@code name=value}, of the applications that are started from now
	 * on.
	 */
	public TestApplication with(String property) {
		int equals = property.indexOf('=');
		this.properties.put(property.substring(0, equals), property.substring(equals + 1));
		return this;
	}

	/** Sets no such property. */
	public TestApplication without(String name) {
		this.properties.remove(name);
		return this;
	}

	public String prefix() {
		return this.prefix;
	}

	/** Starts an application with these beans. */
	public ConfigurableApplicationContext start(Class<?>... beans) {
		Class<?>[] sources = new Class<?>[beans.length + 1];
		sources[0] = Empty.class;
		System.arraycopy(beans, 0, sources, 1, beans.length);
		String[] arguments = this.properties.entrySet()
			.stream()
			.map((property) -> "--" + property.getKey() + "=" + property.getValue())
			.toArray(String[]::new);
		ConfigurableApplicationContext context = new SpringApplicationBuilder(sources).web(WebApplicationType.NONE)
			.run(arguments);
		this.started.add(context);
		return context;
	}

	/** Starts an application that only schedules. */
	public DelayQueueOperations producer() {
		return start().getBean(DelayQueueOperations.class);
	}

	@Override
	public void close() {
		this.started.forEach(ConfigurableApplicationContext::close);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Empty {

	}

}
