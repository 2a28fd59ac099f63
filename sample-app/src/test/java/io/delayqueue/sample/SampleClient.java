package io.delayqueue.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** A caller of the sample's HTTP interface. Safe for use by several threads. */
public final class SampleClient {

	private static final JsonMapper json = JsonMapper.shared();

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(LIMIT).build();

	private final URI base;

	public SampleClient(int port) {
		this.base = URI.create("http://127.0.0.1:" + port);
	}

	public Answer get(String path) {
		return send(request(path).GET());
	}

	public Answer post(String path) {
		return send(request(path).POST(BodyPublishers.noBody()));
	}

	public Answer post(String path, String body) {
		return post(path, body, "application/json");
	}

	public Answer post(String path, String body, String contentType) {
		return send(request(path).header("Content-Type", contentType).POST(BodyPublishers.ofString(body)));
	}

	public Answer delete(String path) {
		return send(request(path).DELETE());
	}

	public Answer placeOrder(String id, String userId, Duration payWithin) {
		return post("/orders", """
				{"id":"%s","userId":"%s","payWithin":"%s"}""".formatted(id, userId, payWithin));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(this.base.resolve(path)).timeout(LIMIT);
	}

	private Answer send(HttpRequest.Builder request) {
		try {
			HttpResponse<String> response = this.http.send(request.build(), BodyHandlers.ofString());
			JsonNode body = response.body().isBlank() ? JsonNodeFactory.instance.missingNode()
					: json.readTree(response.body());
			return new Answer(response.statusCode(), response.headers(), body);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/** The response to a request. */
	public record Answer(int status, HttpHeaders headers, JsonNode body) {

		public String text(String field) {
			return this.body.path(field).asString();
		}

		public Instant instant(String field) {
			return Instant.parse(text(field));
		}

		public String header(String name) {
			return this.headers.firstValue(name).orElse("");
		}

	}

}
