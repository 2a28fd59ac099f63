package io.delayqueue.queue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * The names of processes and of their consumers. A process has one name in the list of
 * members, in the history, in holds and in the log: host (in Kubernetes the pod), process
 * id and a random number. The name of a consumer begins with the name of its process.
 */
public final class ProcessName {

	/** Differs from all characters of host names. */
	private static final char CONSUMER = '#';

	private ProcessName() {
	}

	/**
	 * {@return a readable name of a process that differs from all names that this or any
	 * other process has generated}
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

	/**
	 * Returns the name of a consumer.
	 * @param process the name of its process
	 * @param start the number of consumers that the process has started before
	 * @return the name in the consumer group, which no other consumer has
	 */
	public static String consumer(String process, int start) {
		return process + CONSUMER + start;
	}

	/**
	 * Returns the name of the process of a consumer.
	 * @param consumer the name of the consumer in the consumer group
	 * @return the name of the process; the name of the consumer itself if another program
	 * has created the consumer
	 */
	public static String ofConsumer(String consumer) {
		int end = consumer.lastIndexOf(CONSUMER);
		return (end > 0) ? consumer.substring(0, end) : consumer;
	}

}
