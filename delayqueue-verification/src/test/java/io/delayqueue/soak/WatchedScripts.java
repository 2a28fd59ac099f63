package io.delayqueue.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.process.fixture.Journal.Writer;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.core.script.ScriptExecutor;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the scripts of a worker and records their answers in its journal: each delivery
 * with its entry and its message at that time, each settlement with its answer or without
 * one, and each reclaimed message with the time of Redis.
 */
final class WatchedScripts implements ScriptExecutor<String> {

	private static final int LATENCY_MILLIS = 5;

	/**
	 * Values of a read and of a sweep before those of messages, and of each delivered
	 * message.
	 */
	private static final int HEAD_OF_READ = 3;

	private static final int HEAD_OF_SWEEP = 10;

	private static final int OF_READ = 6;

	/** Values of a reclaim before those of messages, and of each message. */
	private static final int HEAD_OF_RECLAIM = 3;

	private static final int OF_RECLAIM = 3;

	private static final Set<String> SETTLEMENTS = Set.of("acknowledge", "settle");

	private static final RedisScript<?> PUT = RedisScript.of("""
			for i = 1, #ARGV do
			  redis.call('HSET', KEYS[3], ARGV[i], redis.call('XADD', KEYS[2], '*', 'id', ARGV[i]))
			end
			return {#ARGV}""", List.class);

	private final ScriptExecutor<String> scripts;

	private final Writer journal;

	private final boolean separateSteps;

	private final Map<String, String> names = Stream.of("read", "sweep", "acknowledge", "settle", "reclaim")
		.collect(Collectors.toMap(WatchedScripts::summaryOf, (name) -> name));

	WatchedScripts(RedisTemplate<String, byte[]> template, Writer journal, boolean separateSteps) {
		this.scripts = new DefaultScriptExecutor<>(template);
		this.journal = journal;
		this.separateSteps = separateSteps;
	}

	/** The first line of a script's header. */
	static String summary(String script) {
		return script.lines().skip(1).findFirst().orElseThrow();
	}

	/** The first line of the header of the script with this name. */
	static String summaryOf(String name) {
		try {
			return summary(new ClassPathResource("io/delayqueue/store/" + name + ".lua")
				.getContentAsString(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public <T> T execute(RedisScript<T> script, List<String> keys, Object... arguments) {
		return this.scripts.execute(script, keys, arguments);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
			RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
		boolean isRecorded = Stream.of(SoakPlan.QUEUE, LimitedQueue.NAME)
			.anyMatch((queue) -> keys.get(0).contains("{" + queue + ":"));
		String name = isRecorded ? this.names.getOrDefault(summary(script.getScriptAsString()), "") : "";
		T reply;
		try {
			reply = this.scripts.execute(script, argumentSerializer, resultSerializer, keys, arguments);
		}
		catch (RuntimeException failure) {
			if (SETTLEMENTS.contains(name)) {
				this.journal.add("unsettled", name, 0, "-");
			}
			throw failure;
		}
		if (!(reply instanceof List<?> answers)) {
			return reply;
		}
		switch (name) {
			case "read" -> delivered(keys.get(0), answers, HEAD_OF_READ);
			case "acknowledge" -> settled("acknowledged", answers.subList(2, answers.size()), arguments, 4, 4);
			case "settle" -> settled("settled", answers.subList(4, answers.size()), arguments, 1, 7);
			case "reclaim" -> {
				for (int at = HEAD_OF_RECLAIM; at < answers.size(); at += OF_RECLAIM) {
					if (!LimitedQueue.isId(text(answers.get(at)))) {
						this.journal.add("reclaimed", text(answers.get(at)), 0, number(answers.get(1)) / 1000);
					}
				}
			}
			case "sweep" -> {
				if (this.separateSteps) {
					return (T) put(answers, argumentSerializer, resultSerializer, keys);
				}
				delivered(keys.get(0), answers, HEAD_OF_SWEEP);
			}
			default -> {
			}
		}
		return reply;
	}

	private void delivered(String key, List<?> answers, int head) {
		String partition = key.substring(key.indexOf('{') + 1, key.indexOf('}'));
		for (int i = 0; i < number(answers.get(head - 1)); i++) {
			int at = head + OF_READ * i;
			if (answers.get(at + OF_READ - 1) instanceof byte[]) {
				String id = text(answers.get(at + 1));
				if (LimitedQueue.isId(id)) {
					this.journal.add(LimitedQueue.HANDED_OVER, id.replace('\1', '-'), 0,
							number(answers.get(1)) + "," + number(answers.get(at + OF_READ - 2)));
					continue;
				}
				this.journal.add("current", id, 0, text(answers.get(at)));
				this.journal.add(AnswerChecker.DELIVERED, id, 0,
						delivery(text(answers.get(at)), number(answers.get(1)), text(answers.get(at + OF_READ - 1)))
								+ "," + partition);
			}
		}
	}

	/**
	 * The fields of a record: its due time is 16 digits after the version, its payload
	 * JSON.
	 */
	private static String delivery(String entry, long micros, String record) {
		String payload = record.substring(record.indexOf('\n') + 1).replace("\"", "");
		return String.join(",", entry, Long.toString(micros), Long.valueOf(record.substring(1, 17)).toString(),
				payload);
	}

	/** Each settlement begins with its entry and its id. */
	private void settled(String event, List<?> answers, Object[] arguments, int first, int step) {
		for (int i = 0; i < answers.size(); i++) {
			int at = first + step * i;
			if (LimitedQueue.isId(text(arguments[at + 1]))) {
				continue;
			}
			this.journal.add(text(answers.get(i)).equals("counted") ? event : "late", text(arguments[at + 1]), 0,
					text(arguments[at]));
		}
	}

	/** The second of the two calls of the broken sweep. */
	@SuppressWarnings("unchecked")
	private <T> List<?> put(List<?> taken, RedisSerializer<?> argumentSerializer, RedisSerializer<T> resultSerializer,
			List<String> keys) {
		String ids = text(taken.get(3));
		if (!ids.isEmpty()) {
			pause();
			Object[] arguments = List.of(ids.split(" "))
				.stream()
				.map((id) -> id.getBytes(StandardCharsets.UTF_8))
				.toArray();
			this.scripts.execute((RedisScript<T>) PUT, argumentSerializer, resultSerializer, keys, arguments);
		}
		List<Object> reply = new ArrayList<>(taken);
		reply.remove(3);
		delivered(keys.get(0), reply, HEAD_OF_SWEEP);
		return reply;
	}

	private static void pause() {
		try {
			TimeUnit.MILLISECONDS.sleep(LATENCY_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static long number(Object value) {
		return (value instanceof Long number) ? number : Long.parseLong(text(value));
	}

	private static String text(Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : value.toString();
	}

}
