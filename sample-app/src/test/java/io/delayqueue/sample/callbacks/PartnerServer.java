package io.delayqueue.sample.callbacks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.awaitility.Awaitility.await;

/** Partners, each with its own path, that record their calls. */
final class PartnerServer implements AutoCloseable {

	private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();

	private final Map<String, List<Call>> calls = new ConcurrentHashMap<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final HttpServer server;

	PartnerServer() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::handle);
		this.server.start();
	}

	/** A partner that responds with these statuses and repeats the last one. */
	String answering(String partner, int... statuses) {
		return behaving(partner, (number, exchange) -> exchange
			.sendResponseHeaders(statuses[Math.min(number, statuses.length) - 1], -1));
	}

	/**
	 * A partner that responds with a status and each of these times of the next try, and
	 * then with success.
	 */
	String deferring(String partner, int status, String... retryAfter) {
		return behaving(partner, (number, exchange) -> {
			if (number <= retryAfter.length) {
				later(exchange, status, retryAfter[number - 1]);
			}
			else {
				exchange.sendResponseHeaders(200, -1);
			}
		});
	}

	/** Responds with a time of the next try. */
	static void later(HttpExchange exchange, int status, String when) throws IOException {
		exchange.getResponseHeaders().set("Retry-After", when);
		exchange.sendResponseHeaders(status, -1);
	}

	String behaving(String partner, Behaviour behaviour) {
		this.behaviours.put("/" + partner, behaviour);
		return "http://127.0.0.1:" + this.server.getAddress().getPort() + "/" + partner;
	}

	List<Call> calls(String partner) {
		return this.calls.computeIfAbsent("/" + partner, (path) -> new CopyOnWriteArrayList<>());
	}

	List<Call> awaitCalls(String partner, int count) {
		await().until(() -> calls(partner).size() >= count);
		return calls(partner);
	}

	/** The time between each call and the next one. */
	List<Duration> gaps(String partner) {
		List<Call> calls = calls(partner);
		return IntStream.range(1, calls.size())
			.mapToObj((i) -> Duration.ofNanos(calls.get(i).nanos() - calls.get(i - 1).nanos()))
			.toList();
	}

	private void handle(HttpExchange exchange) throws IOException {
		long nanos = System.nanoTime();
		try (exchange) {
			String path = exchange.getRequestURI().getPath();
			JsonNode body = JsonMapper.shared().readTree(exchange.getRequestBody());
			List<Call> calls = calls(path.substring(1));
			calls.add(new Call(nanos, exchange.getRequestMethod(),
					exchange.getRequestHeaders().getFirst("Content-Type"), body));
			this.behaviours.get(path).answer(calls.size(), exchange);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	/** The behaviour of a partner. */
	interface Behaviour {

		void answer(int number, HttpExchange exchange) throws IOException;

	}

	/** A call of a partner. */
	record Call(long nanos, String method, String contentType, JsonNode body) {

		int attempt() {
			return this.body.get("attempt").asInt();
		}

	}

}
