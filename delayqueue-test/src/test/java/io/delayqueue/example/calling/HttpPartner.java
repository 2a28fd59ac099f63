package io.delayqueue.example.calling;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A partner with an HTTP server, which answers as the test has set, and otherwise with
 * 200.
 */
final class HttpPartner implements AutoCloseable {

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final HttpServer server;

	private volatile Consumer<String> onCall = (call) -> {
	};

	HttpPartner() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(this.threads);
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	String url() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/**
	 * Path, and idempotency key if the call has one, of each call since the last reset.
	 */
	List<String> calls() {
		return this.calls;
	}

	void reset() {
		this.answers.clear();
		this.calls.clear();
		onCall((call) -> {
		});
	}

	void answerOnce(int status, Map<String, String> headers) {
		this.answers.add(new Answer(status, headers));
	}

	/** Runs an action during each call, before it is answered. */
	void onCall(Consumer<String> action) {
		this.onCall = action;
	}

	private void answer(HttpExchange exchange) throws IOException {
		try (exchange) {
			exchange.getRequestBody().readAllBytes();
			String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
			String call = exchange.getRequestURI().getPath() + ((key != null) ? " " + key : "");
			this.calls.add(call);
			this.onCall.accept(call);
			Answer next = this.answers.poll();
			if (next != null) {
				next.headers().forEach(exchange.getResponseHeaders()::set);
			}
			exchange.sendResponseHeaders((next != null) ? next.status() : 200, -1);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	private record Answer(int status, Map<String, String> headers) {
	}

}
