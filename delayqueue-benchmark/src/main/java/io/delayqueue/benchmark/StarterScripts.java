package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import redis.clients.jedis.Jedis;

/**
 * The unmodified scripts of the starter without its Java code: a sweep delivers messages
 * in the same call.
 */
final class StarterScripts implements Scripts {

	private static final String KEYS = "dq:{" + StarterPeer.QUEUE + ":0}:";

	private static final int BATCH = 200;

	private static final String ENOUGH_BYTES = "524288";

	/** {@code done-window-of-generated-ids}, ms. */
	private static final String WINDOW = "10000";

	/** {@code max-delay}, ms. */
	private static final String MAX_DELAY = "315360000000";

	private static final int TOKEN = 11;

	/** The length of version and due time in a record. */
	private static final int BEFORE_TOKEN = 1 + 16;

	/** The number of values of a sweep and of a read before the messages. */
	private static final int HEAD_OF_SWEEP = 9;

	private static final int HEAD_OF_READ = 2;

	/** The number of values of each message. */
	private static final int OF_MESSAGE = 6;

	private final Jedis connection;

	/** What happens if an id is known: {@code new} for generated ids. */
	private final String policy;

	private final Script scheduleNew;

	private final Script schedule;

	private final Script sweep;

	private final Script read;

	private final Script acknowledge;

	StarterScripts(Jedis connection) {
		this(connection, "new");
	}

	private StarterScripts(Jedis connection, String policy) {
		this.connection = connection;
		this.policy = policy;
		this.scheduleNew = Script.load(connection, "schedule-new");
		this.schedule = Script.load(connection, "schedule");
		this.sweep = Script.load(connection, "sweep");
		this.read = Script.load(connection, "read");
		this.acknowledge = Script.load(connection, "acknowledge");
	}

	/** The scripts for messages whose ids are the caller's. */
	static StarterScripts ofOwnIds(Jedis connection) {
		return new StarterScripts(connection, "keep");
	}

	@Override
	public void schedule(List<Message> messages) {
		if (!this.policy.equals("new")) {
			scheduleAny(messages);
			return;
		}
		List<String> arguments = new ArrayList<>(2 + 3 * messages.size());
		arguments.addAll(List.of("1", MAX_DELAY));
		for (Message message : messages) {
			arguments.addAll(List.of(message.id(), due(message), envelope(message)));
		}
		if (!this.scheduleNew.run(this.connection, arguments).get(0).equals("created")) {
			// Stores the partition count, as the starter does at the first use of a queue
			scheduleAny(messages);
		}
	}

	private void scheduleAny(List<Message> messages) {
		List<String> arguments = new ArrayList<>(7 + 6 * messages.size());
		arguments.addAll(List.of("1", MAX_DELAY, "0", "reject", WINDOW, "", "peer"));
		for (Message message : messages) {
			arguments.addAll(List.of(message.id(), due(message), "", "", this.policy, envelope(message)));
		}
		this.schedule.run(this.connection, arguments);
	}

	private static String due(Message message) {
		return String.format("%016d", message.dueMillis());
	}

	/** Each message has a token of its own, and its payload is JSON. */
	private static String envelope(Message message) {
		return String.format("%0" + TOKEN + "d\n\"%s\"", message.number(), message.payload());
	}

	@Override
	public Swept sweep() {
		List<?> reply = this.sweep.run(this.connection, List.of("consumer", Integer.toString(BATCH), ENOUGH_BYTES,
				Integer.toString(BATCH), "1000", "1000", "25", "", "200", "0", "0", "0", ""));
		return new Swept((Long) reply.get(2), (Long) reply.get(4), delivered(reply, HEAD_OF_SWEEP));
	}

	/**
	 * The messages of a reply, and those whose records it has no room for.
	 * @param reply the reply of a sweep or a read
	 * @param head the index at which the messages begin
	 */
	private List<Taken> delivered(List<?> reply, int head) {
		List<Taken> taken = new ArrayList<>(BATCH);
		int end = head + 1 + OF_MESSAGE * ((Long) reply.get(head)).intValue();
		for (int at = head + 1; at < end; at += OF_MESSAGE) {
			if (!(reply.get(at + OF_MESSAGE - 1) instanceof String record)) {
				throw new BenchmarkException("entry " + reply.get(at) + " has no record");
			}
			int payload = BEFORE_TOKEN + TOKEN + 2;
			taken.add(new Taken(String.valueOf(reply.get(at)), String.valueOf(reply.get(at + 1)),
					record.substring(payload, record.length() - 1),
					record.substring(BEFORE_TOKEN, BEFORE_TOKEN + TOKEN)));
		}
		if (end < reply.size()) {
			List<String> rest = new ArrayList<>(List.of("consumer", "0", ENOUGH_BYTES, "1", ""));
			reply.subList(end, reply.size()).forEach((entryOrId) -> rest.add(String.valueOf(entryOrId)));
			taken.addAll(delivered(this.read.run(this.connection, rest), HEAD_OF_READ));
		}
		return taken;
	}

	@Override
	public void acknowledge(List<Taken> handled) {
		List<String> arguments = new ArrayList<>(3 + 4 * handled.size());
		arguments.addAll(List.of(WINDOW, "A", "peer"));
		for (Taken taken : handled) {
			arguments.addAll(List.of(taken.entry(), taken.id(), taken.token(), WINDOW));
		}
		this.acknowledge.run(this.connection, arguments);
	}

	@Override
	public long waiting() {
		return this.connection.hlen(KEYS + "messages");
	}

	private record Script(String sha, List<String> keys) {

		private static final Pattern KEY = Pattern.compile("-- KEYS\\[\\d+] (\\w+)");

		static Script load(Jedis connection, String name) {
			String text = io.delayqueue.test.fault.Scripts.text(name);
			return new Script(connection.scriptLoad(text),
					KEY.matcher(text).results().map((found) -> KEYS + found.group(1)).toList());
		}

		List<?> run(Jedis connection, List<String> arguments) {
			return (List<?>) connection.evalsha(this.sha, this.keys, arguments);
		}

	}

}
