package io.delayqueue.journeys;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import io.delayqueue.test.fault.RedisCluster;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The application of a journey, started with keys of its own. */
final class StartedShop implements AutoCloseable {

	private final HttpClient http = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private StartedShop(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/** Begins an application on a Redis. */
	static Builder on(URI redis) {
		return new Builder().with("spring.data.redis.url", redis);
	}

	/** Begins an application on a cluster. */
	static Builder on(RedisCluster cluster) {
		return new Builder().with("spring.data.redis.cluster.nodes", String.join(",", cluster.addresses()));
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/** Reads a page of the actuator. */
	HttpResponse<String> get(String path) {
		return send(HttpRequest.newBuilder(uri(path)).build());
	}

	/** Runs an operation of the endpoint. */
	HttpResponse<String> post(String path, String json) {
		return send(HttpRequest.newBuilder(uri(path))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(json))
			.build());
	}

	private URI uri(String path) {
		return URI.create("http://localhost:" + this.context.getEnvironment().getProperty("local.server.port")
				+ "/actuator" + path);
	}

	private HttpResponse<String> send(HttpRequest request) {
		try {
			return this.http.send(request, HttpResponse.BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(interrupted);
		}
	}

	/** Stops the application, which must be healthy when nothing is left to do. */
	@Override
	public void close() {
		try (ConfigurableApplicationContext stopped = this.context) {
			await().untilAsserted(() -> assertThat(get("/health/delayqueue").body()).contains("\"status\":\"UP\""));
			stopped.stop();
		}
	}

	/** Collects the settings of an application. */
	static final class Builder {

		private final Map<String, Object> properties = new LinkedHashMap<>();

		private final SpringApplicationBuilder application = new SpringApplicationBuilder(Shop.class);

		private Builder() {
			with("delayqueue.key-prefix", "journey-" + UUID.randomUUID());
		}

		/** Sets a property. */
		Builder with(String property, Object value) {
			this.properties.put(property, value);
			return this;
		}

		/** Adds beans. */
		Builder and(Class<?>... beans) {
			this.application.sources(beans);
			return this;
		}

		/** The prefix of the keys in Redis. */
		String prefix() {
			return this.properties.get("delayqueue.key-prefix").toString();
		}

		StartedShop start() {
			return new StartedShop(this.application.run(this.properties.entrySet()
				.stream()
				.map((property) -> "--" + property.getKey() + "=" + property.getValue())
				.toArray(String[]::new)));
		}

	}

}
