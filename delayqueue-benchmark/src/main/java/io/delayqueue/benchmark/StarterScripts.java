package io.delayqueue.benchmark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.DelayQueueOperations;
import redis.clients.jedis.Jedis;

/**
 * The unmodified scripts of the starter without its Java code.
 */
final class StarterScripts implements Scripts {

	private static final String KEYS = "dq:{" + StarterPeer.QUEUE + ":0}:";

	private static final int BATCH = 200;

	private static final String TOKEN = "benchmark--";

	/** The length of due time, version, token and line feed before the payload. */
	private static final int BEFORE_PAYLOAD = 1 + 16 + TOKEN.length() + 1;

	/** The number of values of a read before the messages, and for each message. */
	private static final int HEAD_OF_READ = 3;

	private static final int OF_READ = 6;

	private final Jedis connection;

	private final Script schedule;

	private final Script sweep;

	private final Script read;

	private final Script acknowledge;

	StarterScripts(Jedis connection) {
		this.connection = connection;
		this.schedule = Script.load(connection, "schedule");
		this.sweep = Script.load(connection, "sweep");
		this.read = Script.load(connection, "read");
		this.acknowledge = Script.load(connection, "acknowledge");
	}

	@Override
	public void schedule(List<Message> messages) {
		List<String> arguments = new ArrayList<>(7 + 6 * messages.size());
		arguments.addAll(List.of("1", "315360000000", "0", "reject", "10000", "", "peer"));
		for (Message message : messages) {
			arguments.add(message.id());
			arguments.add(String.format("%016d", message.dueMillis()));
			arguments.addAll(List.of("", "", "keep", TOKEN + '\n' + message.payload()));
		}
		this.schedule.run(this.connection, arguments);
	}

	@Override
	public Swept sweep() {
		// Takes no messages: another thread reads
		List<?> reply = this.sweep.run(this.connection,
				List.of("consumer", "0", "0", Integer.toString(BATCH), "1000", "1000", "50", "", "20", "0", "0", "0"));
		return new Swept((Long) reply.get(2), (Long) reply.get(4));
	}

	@Override
	public List<Taken> read() {
		List<?> reply = this.read.run(this.connection,
				List.of("consumer", Integer.toString(BATCH), Integer.toString(Integer.MAX_VALUE), "0"));
		List<Taken> taken = new ArrayList<>(BATCH);
		for (int at = HEAD_OF_READ; at < reply.size(); at += OF_READ) {
			if (!(reply.get(at + OF_READ - 1) instanceof String record)) {
				throw new BenchmarkException("entry " + reply.get(at) + " has no record");
			}
			taken.add(new Taken(String.valueOf(reply.get(at)), String.valueOf(reply.get(at + 1)),
					record.substring(BEFORE_PAYLOAD), TOKEN));
		}
		return taken;
	}

	@Override
	public void acknowledge(List<Taken> handled) {
		List<String> arguments = new ArrayList<>(3 + 4 * handled.size());
		arguments.addAll(List.of("10000", "A", "peer"));
		for (Taken taken : handled) {
			arguments.addAll(List.of(taken.entry(), taken.id(), taken.token(), "10000"));
		}
		this.acknowledge.run(this.connection, arguments);
	}

	@Override
	public long waiting() {
		return this.connection.hlen(KEYS + "messages");
	}

	private record Script(String sha, List<String> keys) {

		private static final Pattern INCLUDE = Pattern.compile("-- include (\\w+)\n");

		private static final Pattern KEY = Pattern.compile("-- KEYS\\[\\d+] (\\w+)");

		static Script load(Jedis connection, String name) {
			String text = read(name);
			List<String> keys = KEY.matcher(text).results().map((found) -> KEYS + found.group(1)).toList();
			String whole = INCLUDE.matcher(text)
				.replaceAll((found) -> Matcher.quoteReplacement(read("part/" + found.group(1))));
			return new Script(connection.scriptLoad(whole), keys);
		}

		private static String read(String name) {
			try (InputStream file = DelayQueueOperations.class.getResourceAsStream("store/" + name + ".lua")) {
				return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		List<?> run(Jedis connection, List<String> arguments) {
			return (List<?>) connection.evalsha(this.sha, this.keys, arguments);
		}

	}

}
