package io.delayqueue.test.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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

	private static final int LAST = 21_999;

	private static final int TRIES = 1_000;

	/** The open files whose locks reserve ports until this JVM ends. */
	private static final Queue<FileChannel> RESERVED = new ConcurrentLinkedQueue<>();

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
	static boolean reserve(int port) {
		try {
			Path directory = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"),
					"delayqueue-ports-" + System.getProperty("user.name")));
			FileChannel file = FileChannel.open(directory.resolve(Integer.toString(port)), StandardOpenOption.CREATE,
					StandardOpenOption.WRITE);
			try {
				if (file.tryLock() != null) {
					return RESERVED.add(file);
				}
			}
			catch (OverlappingFileLockException ex) {
				// This JVM has reserved the port
			}
			file.close();
			return false;
		}
		catch (IOException ex) {
			throw new RedisNotAvailableException("Cannot reserve port " + port, ex);
		}
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
