package io.delayqueue.test.fault;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A node of a cluster: one line of the reply to CLUSTER NODES. See
 * https://redis.io/docs/latest/commands/cluster-nodes/
 *
 * @param id the id of the node
 * @param port the port of the node for clients
 * @param flags for example {@code myself}, {@code master}, {@code fail}
 * @param masterId the id of the master that the node replicates, or {@code -}
 * @param slots the ranges of slots that the node owns, each with the first and the last
 * slot
 */
record ClusterNode(String id, int port, Set<String> flags, String masterId, List<int[]> slots) {

	private static final Pattern PORT = Pattern.compile(":(\\d+)@");

	static List<ClusterNode> parse(String reply) {
		return reply.lines().map(ClusterNode::parseLine).toList();
	}

	private static ClusterNode parseLine(String line) {
		String[] fields = line.split(" ");
		Matcher port = PORT.matcher(fields[1]);
		if (!port.find()) {
			throw new IllegalStateException("Not a line of CLUSTER NODES: '" + line + "'");
		}
		// CLUSTER NODES lists a migrating slot a second time, in brackets
		List<int[]> slots = Stream.of(fields)
			.skip(8)
			.filter((range) -> !range.startsWith("["))
			.map(ClusterNode::range)
			.toList();
		return new ClusterNode(fields[0], Integer.parseInt(port.group(1)), Set.of(fields[2].split(",")), fields[3],
				slots);
	}

	private static int[] range(String text) {
		int dash = text.indexOf('-');
		return (dash < 0) ? new int[] { Integer.parseInt(text), Integer.parseInt(text) }
				: new int[] { Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)) };
	}

	boolean isMaster() {
		return this.flags.contains("master") && !this.flags.contains("fail");
	}

	boolean isReplica() {
		return this.flags.contains("slave") && !this.flags.contains("fail");
	}

	boolean owns(int slot) {
		return isMaster() && this.slots.stream().anyMatch((range) -> range[0] <= slot && slot <= range[1]);
	}

}
