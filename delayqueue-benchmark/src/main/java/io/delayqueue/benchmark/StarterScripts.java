package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import redis.clients.jedis.Jedis;

/**
 * Calls the unmodified scripts of the starter without the Java code of the starter. A
 * sweep delivers messages in the same call.
 */
final class StarterScripts implements Scripts {

	private static final String KEYS = "dq:{" + StarterPeer.QUEUE + ":0}:";

	private static final int BATCH = 200;

	private static final String ENOUGH_BYTES = "524288";

	/** The value of the property {@code done-window-of-generated-ids}, ms. */
	private static final String WINDOW = "10000";

	/** The value of the property {@code max-delay}, ms. */
	private static final String MAX_DELAY = "315360000000";

	private static final int TOKEN = 11;

	/** The number of characters of version and due time at the beginning of a record. */
	private static final int BEFORE_TOKEN = 1 + 16;

	/**
	 * The number of values before the messages in the reply of the script {@code sweep}.
	 */
	private static final int HEAD_OF_SWEEP = 9;

	private static final int HEAD_OF_READ = 2;

	/**
	 * The number of values of each message in a reply of {@code sweep} or {@code read}.
	 */
	private static final int OF_MESSAGE = 6;

	private final Jedis connection;

	/**
	 * The policy of the script {@code schedule} for an id that exists already;
	 * {@code new} for generated ids.
	 */
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

	/** Creates an instance for messages whose ids the caller has chosen. */
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
		Object answer = this.scheduleNew.run(this.connection, arguments).get(0);
		if (!answer.equals("created")) {
			throw new BenchmarkException("the messages were not stored: " + answer);
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

	/**
	 * Returns the envelope of a message: a call token that is unique for the message, and
	 * the payload as JSON.
	 */
	private static String envelope(Message message) {
		return String.format("%0" + TOKEN + "d\n\"%s\"", message.number(), message.payload());
	}

	@Override
	public Swept sweep() {
		List<?> reply = this.sweep.run(this.connection, List.of("consumer", Integer.toString(BATCH), ENOUGH_BYTES,
				Integer.toString(BATCH), "2000", "1000", "25", "", "400", "0", "0", "0", "-1"));
		return new Swept((Long) reply.get(2), (Long) reply.get(4), delivered(reply, HEAD_OF_SWEEP));
	}

	/**
	 * Returns the delivered messages of a reply. Further calls of the read script fetch
	 * the records for which the reply has no room.
	 * @param reply the reply of {@code sweep} or the read script
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
			List<String> rest = new ArrayList<>(List.of("consumer", "0", ENOUGH_BYTES, "1", "-1"));
			reply.subList(end, reply.size()).forEach((entryOrId) -> rest.add(String.valueOf(entryOrId)));
			taken.addAll(delivered(this.read.run(this.connection, rest), HEAD_OF_READ));
		}
		return taken;
	}

	@Override
	public void acknowledge(List<Taken> handled) {
		List<String> arguments = new ArrayList<>(4 + 4 * handled.size());
		arguments.addAll(List.of(WINDOW, "A", "peer", ""));
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

		private static final Pattern NAMES = Pattern.compile("local ([\\w,\\s]+) = unpack\\(KEYS\\)");

		static Script load(Jedis connection, String name) {
			String text = io.delayqueue.test.fault.Scripts.text(name);
			List<String> keys = NAMES.matcher(text)
				.results()
				.flatMap((names) -> Stream.of(names.group(1).split(",\\s*")))
				.map((key) -> KEYS + key)
				.toList();
			return new Script(connection.scriptLoad(text), keys);
		}

		List<?> run(Jedis connection, List<String> arguments) {
			return (List<?>) connection.evalsha(this.sha, this.keys, arguments);
		}

	}

}
