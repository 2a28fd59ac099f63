package io.delayqueue.benchmark;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.delayqueue.test.redis.RedisServer;

/**
 * Reads statistics of a Redis server.
 */
final class Server {

	private Server() {
	}

	/**
	 * Returns the version of the server and its memory allocator. Another allocator can
	 * change the speed by half.
	 */
	static String describe(RedisServer server) {
		return server.describe() + ", " + value(info(server), "mem_allocator");
	}

	/** Returns the CPU time of the server since its start, us. */
	static double cpuMicros(RedisServer server) {
		return cpuMicros(info(server));
	}

	private static double cpuMicros(String info) {
		return 1e6 * (number(info, "used_cpu_user") + number(info, "used_cpu_sys"));
	}

	/** Returns the work of the server since its start. */
	static Cost cost(RedisServer server) {
		String info = info(server);
		return new Cost(number(info, "total_reads_processed"), number(info, "total_commands_processed"),
				cpuMicros(info));
	}

	/** Returns the used memory of the server, bytes. */
	static double usedMemory(RedisServer server) {
		return number(info(server), "used_memory");
	}

	/**
	 * Enables the slow log of the server for calls of more than 1 ms, and clears this
	 * log.
	 */
	static void watchSlow(RedisServer server) {
		server.call("CONFIG", "SET", "slowlog-log-slower-than", "1000", "slowlog-max-len", "10000");
		server.call("SLOWLOG", "RESET");
	}

	/**
	 * Returns the duration of the slowest script in the slow log of the server, ms; 1 if
	 * no script took more than 1 ms.
	 */
	static double slowestScriptMillis(RedisServer server) {
		double slowest = 1;
		for (Object entry : (List<?>) Objects.requireNonNull(server.call("SLOWLOG", "GET", "-1"))) {
			List<?> fields = (List<?>) entry;
			if (String.valueOf(((List<?>) fields.get(3)).get(0)).toUpperCase(Locale.ROOT).startsWith("EVAL")) {
				slowest = Math.max(slowest, (Long) fields.get(2) / 1000.0);
			}
		}
		return slowest;
	}

	private static String info(RedisServer server) {
		return String.valueOf(server.call("INFO"));
	}

	private static double number(String info, String name) {
		return Double.parseDouble(value(info, name));
	}

	private static String value(String info, String name) {
		return info.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1).strip())
			.findFirst()
			.orElseThrow();
	}

}
