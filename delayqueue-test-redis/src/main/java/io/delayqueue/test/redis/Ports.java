package io.delayqueue.test.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports on the loopback interface, and reserves them for this JVM.
 *
 * <p>
 * The ports are below the range from which operating systems serve outgoing connections.
 * If the port of a stopped server were in that range, a client that tries to reconnect
 * would sooner or later get this port as its local port, connect to itself, and block the
 * restart of the server.
 */
final class Ports {

	/**
	 * The distance between the port of a server and the port of its cluster bus, as Redis
	 * defines it: https://redis.io/docs/latest/operate/oss_and_stack/management/scaling/
	 */
	static final int BUS_OFFSET = 10_000;

	private static final int FIRST = 11_000;

	private static final int LAST = 20_999;

	private static final int TRIES = 1_000;

	/** The ports of this JVM, with the open files whose locks reserve them. */
	private static final Map<Integer, FileChannel> RESERVED = new HashMap<>();

	private Ports() {
	}

	/**
	 * Returns a port that is free at this moment, and whose cluster bus port is free,
	 * too. No JVM gets this port again while this JVM runs, so that a killed server can
	 * restart with its port.
	 */
	static int free() {
		for (int i = 0; i < TRIES; i++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
			if (isFree(port) && isFree(port + BUS_OFFSET) && reserve(port)) {
				return port;
			}
		}
		throw new RedisNotAvailableException("No free port between " + FIRST + " and " + LAST);
	}

	/** Returns false if this JVM or another JVM of this user has reserved the port. */
	static synchronized boolean reserve(int port) {
		if (RESERVED.containsKey(port)) {
			return false;
		}
		try {
			Path directory = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"),
					"delayqueue-ports-" + System.getProperty("user.name")));
			FileChannel file = FileChannel.open(directory.resolve(Integer.toString(port)), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE);
			if (file.tryLock() == null) {
				file.close();
				return false;
			}
			RESERVED.put(port, file);
		}
		catch (IOException ex) {
			// Without a reservation, another JVM is only unlikely to take the port
		}
		return true;
	}

	static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
