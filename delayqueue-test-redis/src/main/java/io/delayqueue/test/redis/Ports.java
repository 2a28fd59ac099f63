package io.delayqueue.test.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on the loopback interface.
 * <p>
 * They are taken from below the range from which operating systems serve outgoing
 * connections: there, a client that keeps trying to reach a stopped server will sooner or
 * later be given the server's own port, connect to itself, and keep the server from
 * coming back.
 */
final class Ports {

	/**
	 * The distance of the port of the cluster bus, as Redis defines it:
	 * https://redis.io/docs/latest/operate/oss_and_stack/management/scaling/
	 */
	static final int BUS_OFFSET = 10_000;

	private static final int FIRST = 11_000;

	private static final int LAST = 21_999;

	private static final int TRIES = 1_000;

	private Ports() {
	}

	/**
	 * A port that is free at this moment, and whose bus port is free too.
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

	private static boolean isFree(int port) {
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
