package io.delayqueue.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.queue.Queues;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * An application with the actuator, asked over HTTP. It has servlets unless the
 * properties say otherwise. Spring Security is left out unless they say what to exclude.
 */
final class WebApplication implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofMinutes(2);

	/** Lets Spring Security in. */
	static final String SECURED = "spring.autoconfigure.exclude=";

	/** The one without servlets. */
	static final String REACTIVE = "spring.main.web-application-type=reactive";

	private static final String EXPOSURE = "management.endpoints.web.exposure.include=";

	private static final String SECURITY = "org.springframework.boot.security.autoconfigure.";

	private static final String UNSECURED = SECURED + SECURITY + "SecurityAutoConfiguration," + SECURITY
			+ "UserDetailsServiceAutoConfiguration," + SECURITY + "web.servlet.ServletWebSecurityAutoConfiguration,"
			+ SECURITY + "web.servlet.SecurityFilterAutoConfiguration," + SECURITY
			+ "actuate.web.servlet.ManagementWebSecurityAutoConfiguration," + SECURITY
			+ "ReactiveUserDetailsServiceAutoConfiguration," + SECURITY
			+ "web.reactive.ReactiveWebSecurityAutoConfiguration," + SECURITY
			+ "actuate.web.reactive.ReactiveManagementWebSecurityAutoConfiguration,"
			// Of the two servers of the class path only one may serve the actuator's port
			+ "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration";

	private static final JsonMapper json = JsonMapper.builder().build();

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

	private final ConfigurableApplicationContext context;

	private final List<QueueConsumer> consumers = new ArrayList<>();

	private final int port;

	private final String prefix;

	private WebApplication(ConfigurableApplicationContext context) {
		this.context = context;
		int port = ((WebServerApplicationContext) context).getWebServer().getPort();
		this.port = context.getEnvironment().getProperty("local.management.port", Integer.class, port);
		this.prefix = context.getEnvironment().getRequiredProperty("delayqueue.key-prefix");
	}

	/**
	 * Starts an application with a key prefix of its own, unless the properties set one.
	 */
	static WebApplication start(URI redis, String... properties) {
		return start(redis, Empty.class, properties);
	}

	/** Starts an application with these beans. */
	static WebApplication start(URI redis, Class<?> beans, String... properties) {
		List<String> arguments = new ArrayList<>(List.of("server.port=0", "spring.main.banner-mode=off",
				"spring.data.redis.url=" + redis, "spring.data.redis.client-type=jedis",
				"delayqueue.defaults.max-attempts=1", "spring.data.redis.timeout=1s",
				"spring.data.redis.connect-timeout=1s", "management.endpoint.health.show-details=always"));
		arguments.addAll(List.of(properties));
		if (!arguments.contains(REACTIVE)) {
			arguments.add("spring.main.web-application-type=servlet");
		}
		if (!arguments.contains(SECURED)) {
			arguments.add(UNSECURED);
		}
		if (arguments.stream().noneMatch((argument) -> argument.startsWith(EXPOSURE))) {
			arguments.add(EXPOSURE + "*");
		}
		if (arguments.stream().noneMatch((argument) -> argument.startsWith("delayqueue.key-prefix="))) {
			arguments.add("delayqueue.key-prefix=test-" + UUID.randomUUID());
		}
		return new WebApplication(new SpringApplicationBuilder(Empty.class, beans)
			.run(arguments.stream().map((argument) -> "--" + argument).toArray(String[]::new)));
	}

	/** What an HTTP call brought. */
	record Answer(int status, String contentType, String body, List<String> cookies, HttpHeaders headers) {

		JsonNode json() {
			return json.readTree(this.body);
		}

	}

	/** A text as JSON. */
	static String quoted(String text) {
		return json.writeValueAsString(text);
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	/** Where a browser finds a path. */
	String url(String path) {
		return "http://localhost:" + this.port + path;
	}

	String prefix() {
		return this.prefix;
	}

	/** Consumes a queue until the application is closed. */
	QueueConsumer consume(String queue, int concurrency, MessageHandler handler) {
		QueueConsumer consumer = bean(QueueConsumerFactory.class)
			.create(bean(Queues.class).settings(queue).withConcurrency(concurrency), handler, null, null);
		this.consumers.add(consumer);
		consumer.start();
		return consumer;
	}

	Answer get(String path) {
		return call("GET", path);
	}

	/** Gets with headers, each a name and a value. */
	Answer get(String path, String... headers) {
		return send(request(path).headers(headers).GET());
	}

	Answer call(String method, String path) {
		return send(request(path).method(method, BodyPublishers.noBody()));
	}

	/** Posts JSON, with headers, each a name and a value. */
	Answer post(String path, String body, String... headers) {
		HttpRequest.Builder request = request(path).header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(body));
		if (headers.length > 0) {
			request.headers(headers);
		}
		return send(request);
	}

	/** Posts something of another type than JSON. */
	Answer postAs(String type, String path, String body) {
		return send(request(path).header("Content-Type", type).POST(BodyPublishers.ofString(body)));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(url(path))).timeout(TIMEOUT);
	}

	private Answer send(HttpRequest.Builder request) {
		try {
			var response = this.http.send(request.build(), BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.headers().firstValue("Content-Type").orElse(""),
					response.body(), response.headers().allValues("Set-Cookie"), response.headers());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** Sends a path as it is, which no decent client would do, and answers the status. */
	int statusOfRaw(String path) {
		try (Socket socket = new Socket("localhost", this.port)) {
			socket.setSoTimeout((int) TIMEOUT.toMillis());
			String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
			socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
			String status = new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
			return Integer.parseInt(status.substring(9));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Sends a path as it is, and answers all that comes back. */
	String raw(String path, String accept) {
		try (Socket socket = new Socket("localhost", this.port)) {
			socket.setSoTimeout((int) TIMEOUT.toMillis());
			String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept: " + accept
					+ "\r\nConnection: close\r\n\r\n";
			socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Stops the application before its time. */
	void stop() {
		this.context.close();
	}

	@Override
	public void close() {
		this.consumers.forEach((consumer) -> consumer.stop(Duration.ofSeconds(1)));
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Empty {

		/** Those that all applications share end with the first one. */
		@Bean
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
		ReactorResourceFactory eventLoops() {
			ReactorResourceFactory factory = new ReactorResourceFactory();
			factory.setUseGlobalResources(false);
			return factory;
		}

	}

}
