package io.delayqueue.benchmark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import redis.clients.jedis.Jedis;

/**
 * A Node.js process with a queue and a worker of BullMQ, which this class talks to
 * through its input and output. A pipe makes a message about 0.1 ms later.
 */
final class BullMqPeer implements Peer {

	private static final Path PROGRAM = Path.of("bullmq");

	/** The module, whose directory Maven makes the working directory. */
	private static final Path INSTALLED = Path.of("target", "bullmq");

	private static final int MOST_IN_PROGRESS = 32;

	private static final List<String> KEYS = List.of("delayed", "wait", "active");

	private final Target target;

	private final Consumer<String> handler;

	private final Process process;

	private final PrintStream input;

	private final BufferedReader output;

	private final Thread reader;

	private final Semaphore unstored = new Semaphore(MOST_IN_PROGRESS);

	BullMqPeer(Target target, Consumer<String> handler) {
		this.target = target;
		this.handler = handler;
		try {
			install();
			this.process = new ProcessBuilder("node", "peer.mjs", target.server().host(),
					Integer.toString(target.server().port()))
				.directory(INSTALLED.toFile())
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			this.input = new PrintStream(this.process.getOutputStream(), true, StandardCharsets.US_ASCII);
			this.output = this.process.inputReader(StandardCharsets.US_ASCII);
			if (!"ready".equals(this.output.readLine())) {
				throw new BenchmarkException("The contender bullmq did not start");
			}
		}
		catch (IOException failure) {
			throw new BenchmarkException(
					"The contender bullmq needs node and npm on the PATH: " + failure.getMessage());
		}
		this.reader = BarePeer.daemon("bullmq-output", this::read);
	}

	private static void install() throws IOException {
		Files.createDirectories(INSTALLED);
		for (String file : List.of("package.json", "package-lock.json", "peer.mjs")) {
			Files.write(INSTALLED.resolve(file), Files.readAllBytes(PROGRAM.resolve(file)));
		}
		if (Files.notExists(INSTALLED.resolve("node_modules"))) {
			Process npm = new ProcessBuilder("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
				.directory(INSTALLED.toFile())
				.inheritIO()
				.start();
			if (npm.onExit().join().exitValue() != 0) {
				throw new BenchmarkException("npm could not install BullMQ");
			}
		}
	}

	private void read() {
		this.output.lines().forEach((line) -> {
			if (line.equals("stored")) {
				this.unstored.release();
			}
			else {
				this.handler.accept(line.substring("handled ".length()));
			}
		});
	}

	/** Waits only if the process has 32 calls in progress already. */
	@Override
	public void schedule(Message message) {
		this.unstored.acquireUninterruptibly();
		this.input.println(message.dueMillis() + " " + message.payload());
	}

	@Override
	public void scheduleAll(List<Message> messages) {
		messages.forEach(this::schedule);
	}

	@Override
	public long waiting() {
		try (Jedis jedis = this.target.connect()) {
			return KEYS.stream().map((key) -> "bull:benchmark:" + key).mapToLong((key) -> switch (jedis.type(key)) {
				case "zset" -> jedis.zcard(key);
				case "list" -> jedis.llen(key);
				default -> 0;
			}).sum();
		}
	}

	@Override
	public void close() {
		this.input.close();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
			this.output.close();
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
		catch (IOException failure) {
			throw new UncheckedIOException(failure);
		}
		BarePeer.join(this.reader);
	}

}
