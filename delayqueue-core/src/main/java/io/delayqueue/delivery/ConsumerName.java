package io.delayqueue.delivery;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

import io.delayqueue.queue.RandomBits;

/**
 * Names a consumer of the group: readable, and never the same for two starts, because two
 * consumers of one name would share their pending messages.
 */
final class ConsumerName {

	private ConsumerName() {
	}

	static String next() {
		return host() + "-" + ProcessHandle.current().pid() + "-" + HexFormat.of().toHexDigits((int) RandomBits.next());
	}

	private static String host() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException unknown) {
			return "unknown";
		}
	}

}
