package io.delayqueue.soak;

import java.util.List;

/**
 * A second queue of the soak, with all limits. The messages of all groups have the same
 * ids, so the journal names a message by its id and its group: {@code limited-17-g3}.
 */
final class LimitedQueue {

	static final String NAME = "limited";

	/** Messages a second, of the queue and of each group. */
	static final int RATE = 60;

	/** So few that readers must ask for each token in time. */
	static final int BURST = 2;

	static final int GROUP_RATE = 25;

	static final int GROUP_BURST = 5;

	/** Fewer than the concurrency of a worker. */
	static final int MAX_IN_FLIGHT = 6;

	static final int GROUPS = 5;

	/** The most ends that each of its partitions keeps. */
	static final int HISTORY = 40;

	/** Delivered to a process, by the clock of Redis. */
	static final String HANDED_OVER = "handed-over";

	static final String BEGIN = "limited-begin";

	static final String END = "limited-end";

	/** A hold has been stored; the subject is a group, or the queue. */
	static final String HELD = "held";

	private LimitedQueue() {
	}

	/** The id of a message, which messages of other groups may have too. */
	static String id(int number) {
		return NAME + "-" + number;
	}

	/** The name of a message in the journal. */
	static String name(int number, int group) {
		return name(id(number), group(group));
	}

	static String name(String id, String group) {
		return id + "-" + group;
	}

	static String group(int number) {
		return "g" + number;
	}

	/** Whether an id in the form that Redis stores is of this queue. */
	static boolean isId(String id) {
		return id.startsWith(NAME + "-");
	}

	static String groupOf(String name) {
		return name.substring(name.lastIndexOf('-') + 1);
	}

	/** The settings of its consumers. */
	static List<String> arguments() {
		String prefix = "--delayqueue.queues." + NAME + ".";
		return List.of(prefix + "rate-limit.messages=" + RATE, prefix + "rate-limit.burst=" + BURST,
				prefix + "group.rate-limit.messages=" + GROUP_RATE, prefix + "group.rate-limit.burst=" + GROUP_BURST,
				prefix + "max-in-flight=" + MAX_IN_FLIGHT, prefix + "history.at-most=" + HISTORY);
	}

}
