package io.delayqueue.test.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports on the loopback interface.
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

	private Ports() {
	}

	/**
	 * Returns a port that is free at this moment, and whose cluster bus port is free,
	 * too.
	 */
	static int free() {
		for (int i = 0; i < TRIES; i++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
			if (isFree(port) && isFree(port + BUS_OFFSET)) {
				return port;
			}
		}
		throw new RedisNotAvailableException("No free port between " + FIRST + " and " + LAST);
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
