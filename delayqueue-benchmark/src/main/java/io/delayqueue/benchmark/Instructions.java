package io.delayqueue.benchmark;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.benchmark.Scripts.Swept;
import io.delayqueue.benchmark.Scripts.Taken;
import io.delayqueue.test.redis.RedisBinary;
import io.delayqueue.test.redis.RedisServer;

/**
 * Counts the CPU instructions that Redis carries out for a message. These counts do not
 * depend on the speed of the machine. The server runs in callgrind, a tool of valgrind.
 * On request, callgrind writes a file with the number of instructions since the previous
 * file.
 */
final class Instructions {

	private static final int ALONE = 500;

	private static final int TOGETHER = 5000;

	private static final int CALL = 100;

	private final Path directory;

	private final RedisServer server;

	private int files;

	private Instructions(Path directory) throws IOException {
		this.directory = directory;
		Path program = Files.writeString(directory.resolve("redis-in-callgrind"), """
				#!/bin/sh
				exec valgrind --quiet --trace-children=yes --tool=callgrind --callgrind-out-file='%s' '%s' "$@"
				""".formatted(directory.resolve("counts"), RedisBinary.find().path()));
		if (!program.toFile().setExecutable(true)) {
			throw new IOException(program + " cannot be made executable");
		}
		System.setProperty(RedisBinary.PROPERTY, program.toString());
		this.server = RedisServer.builder().start();
		// Reduces the periodic work of Redis, which would be counted, too, and depends on
		// the elapsed time
		this.server.call("CONFIG", "SET", "hz", "1", "dynamic-hz", "no");
	}

	/** Prints a table with the instructions for each message, in thousands. */
	static void print() throws IOException, InterruptedException {
		Path directory = Files.createTempDirectory("delayqueue-callgrind-");
		Instructions instructions = new Instructions(directory);
		try {
			System.out.println(
					"| | schedule alone | in calls of 100: schedule | sweep and read, 200 a call | acknowledge | a burst |");
			System.out.println("|---|---|---|---|---|---|");
			System.out.println(instructions.row("raw", RawScripts::new));
			System.out.println(instructions.row("starter, generated ids", StarterScripts::new));
			System.out.println(instructions.row("starter, own ids", StarterScripts::ofOwnIds));
		}
		finally {
			instructions.server.close();
			try (var files = Files.list(directory)) {
				files.map(Path::toFile).forEach(File::delete);
			}
			Files.delete(directory);
		}
	}

	private String row(String name, Scripts.Factory factory) throws IOException, InterruptedException {
		this.server.call("FLUSHALL");
		Scripts scripts = factory.on(Target.of(this.server).connect());
		long due = System.currentTimeMillis();
		List<Message> messages = IntStream.range(0, ALONE + 2 * TOGETHER)
			.mapToObj((number) -> new Message(number, due))
			.toList();
		List<Message> together = messages.subList(ALONE, ALONE + TOGETHER);
		List<Message> burst = messages.subList(ALONE + TOGETHER, messages.size());
		// The first call for a queue runs a different script, so it is not counted
		scripts.schedule(List.of(new Message(messages.size(), due)));
		double alone = count(ALONE,
				() -> messages.subList(0, ALONE).forEach((message) -> scripts.schedule(List.of(message))));
		double scheduled = count(TOGETHER, () -> schedule(scripts, together));
		int dueCount = 1 + ALONE + TOGETHER;
		List<Taken> taken = new ArrayList<>();
		double delivered = count(dueCount, () -> {
			while (taken.size() < dueCount) {
				taken.addAll(take(scripts));
			}
		});
		double acknowledged = count(dueCount, () -> acknowledge(scripts, taken));
		schedule(scripts, burst);
		double inBurst = count(TOGETHER, () -> burst(scripts));
		return "| %s | %.0f | %.0f | %.0f | %.0f | %.0f |".formatted(name, alone, scheduled, delivered, acknowledged,
				inBurst);
	}

	private static void schedule(Scripts scripts, List<Message> messages) {
		for (int from = 0; from < messages.size(); from += CALL) {
			scripts.schedule(messages.subList(from, from + CALL));
		}
	}

	private static List<Taken> take(Scripts scripts) {
		Swept swept = scripts.sweep();
		return swept.delivered().isEmpty() ? scripts.read() : swept.delivered();
	}

	private static void acknowledge(Scripts scripts, List<Taken> taken) {
		for (int from = 0; from < taken.size(); from += CALL) {
			scripts.acknowledge(taken.subList(from, Math.min(taken.size(), from + CALL)));
		}
	}

	/**
	 * Takes the messages of a burst. The messages of a call are acknowledged after the
	 * next call has taken further messages.
	 */
	private static void burst(Scripts scripts) {
		List<Taken> held = List.of();
		for (int handled = 0; handled < TOGETHER; handled += held.size()) {
			List<Taken> next = take(scripts);
			acknowledge(scripts, held);
			held = next;
		}
		acknowledge(scripts, held);
	}

	/** Runs a step, and returns the instructions for each message, in thousands. */
	private double count(int messages, Runnable step) throws IOException, InterruptedException {
		read();
		step.run();
		return read() / 1000.0 / messages;
	}

	/** Returns the number of instructions since the last call of this method. */
	private long read() throws IOException, InterruptedException {
		Process control = new ProcessBuilder("callgrind_control", "--dump", Long.toString(this.server.pid()))
			.redirectErrorStream(true)
			.start();
		String output = new String(control.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		Path file = this.directory.resolve("counts." + ++this.files);
		if (control.waitFor() != 0 || !Files.exists(file)) {
			throw new BenchmarkException("callgrind does not write its counts: " + output);
		}
		try (var lines = Files.lines(file)) {
			return lines.filter((line) -> line.startsWith("summary:"))
				.mapToLong((line) -> Long.parseLong(line.substring("summary:".length()).strip()))
				.sum();
		}
	}

}
