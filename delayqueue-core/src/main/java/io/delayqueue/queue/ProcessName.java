package io.delayqueue.queue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * Names of members and of consumers: host, process id and a random number.
 */
public final class ProcessName {

	private ProcessName() {
	}

	/**
	 * Makes a readable name, different for each call in any process.
	 * @return the name
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
