package io.delayqueue.benchmark;

import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.delayqueue.test.redis.RedisServer;

/**
 * What a server tells of itself.
 */
final class Server {

	private Server() {
	}

	/**
	 * Which one it is, and who gives it its memory: that alone can make it half again as
	 * fast.
	 */
	static String describe(RedisServer server) {
		return server.describe() + ", " + value(server, "memory", "mem_allocator");
	}

	/** The time that its processor has spent on commands and connections, us. */
	static double cpuMicros(RedisServer server) {
		return 1e6 * (number(server, "cpu", "used_cpu_user") + number(server, "cpu", "used_cpu_sys"));
	}

	/** The bytes it has in use for data and its own needs. */
	static double usedMemory(RedisServer server) {
		return number(server, "memory", "used_memory");
	}

	/** Notes from now on what takes longer than 1 ms. */
	static void watchSlow(RedisServer server) {
		server.call("CONFIG", "SET", "slowlog-log-slower-than", "1000", "slowlog-max-len", "10000");
		server.call("SLOWLOG", "RESET");
	}

	/** The slowest script since then, ms; 1 if none took longer. */
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

	private static double number(RedisServer server, String section, String name) {
		return Double.parseDouble(value(server, section, name));
	}

	private static String value(RedisServer server, String section, String name) {
		return String.valueOf(server.call("INFO", section))
			.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1).strip())
			.findFirst()
			.orElseThrow();
	}

}
