package io.delayqueue.queue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * Generates the names of members (processes) and of consumers: host, process id and a
 * random number.
 */
public final class ProcessName {

	private ProcessName() {
	}

	/**
	 * {@return a readable name that differs from all names that this or any other process
	 * has generated}
	 */
	public static String next() {
		String host;
		try {
			host = InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException unknown) {
			host = "unknown";
		}
		return host + "-" + ProcessHandle.current().pid() + "-" + HexFormat.of().toHexDigits((int) RandomBits.next());
	}

}
