package io.delayqueue.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.delayqueue.process.Journal.Writer;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.core.script.ScriptExecutor;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the scripts of a worker and says in its journal what they answered: each delivery
 * with its entry, and each settlement that got an answer.
 */
final class WatchedScripts implements ScriptExecutor<String> {

	private static final int LATENCY_MILLIS = 5;

	private static final RedisScript<?> PUT = RedisScript.of("""
			for i = 1, #ARGV do
			  redis.call('HSET', KEYS[3], ARGV[i], redis.call('XADD', KEYS[2], '*', 'id', ARGV[i]))
			end
			return {#ARGV}""", List.class);

	private final ScriptExecutor<String> scripts;

	private final Writer journal;

	private final boolean separateSteps;

	private final String fence = text("fence");

	private final String sweep = text("sweep");

	private final String acknowledge = text("acknowledge");

	private final String retry = text("retry");

	private final String deadLetter = text("dead-letter");

	private final String release = text("release");

	WatchedScripts(RedisTemplate<String, byte[]> template, Writer journal, boolean separateSteps) {
		this.scripts = new DefaultScriptExecutor<>(template);
		this.journal = journal;
		this.separateSteps = separateSteps;
	}

	private static String text(String name) {
		try {
			return new ClassPathResource("io/delayqueue/store/" + name + ".lua")
				.getContentAsString(StandardCharsets.UTF_8);
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
		T reply = this.scripts.execute(script, argumentSerializer, resultSerializer, keys, arguments);
		if (!(reply instanceof List<?> answers)) {
			return reply;
		}
		String text = script.getScriptAsString();
		if (text.equals(this.fence)) {
			for (int i = 0; i < arguments.length; i++) {
				this.journal.add("current", text(arguments[i]), 0, text(answers.get(1 + 2 * i)));
			}
		}
		else if (text.equals(this.acknowledge)) {
			settled("acknowledged", answers, arguments, 1, 4);
		}
		else if (text.equals(this.release)) {
			settled("released", answers, arguments, 0, 3);
		}
		else if (text.equals(this.retry) || text.equals(this.deadLetter)) {
			this.journal.add((number(answers.get(0)) == 1) ? "settled" : "late", text(arguments[1]), 0,
					text(arguments[0]));
		}
		else if (text.equals(this.sweep) && this.separateSteps) {
			return (T) put(answers, argumentSerializer, resultSerializer, keys);
		}
		return reply;
	}

	/** Each settlement begins with its entry and its id. */
	private void settled(String event, List<?> answers, Object[] arguments, int first, int step) {
		for (int i = 0; i < answers.size(); i++) {
			int at = first + step * i;
			this.journal.add((number(answers.get(i)) == 1) ? event : "late", text(arguments[at + 1]), 0,
					text(arguments[at]));
		}
	}

	/** The second step of what should be one. */
	@SuppressWarnings("unchecked")
	private <T> List<?> put(List<?> taken, RedisSerializer<?> argumentSerializer, RedisSerializer<T> resultSerializer,
			List<String> keys) {
		String ids = text(taken.get(1));
		if (!ids.isEmpty()) {
			pause();
			Object[] arguments = List.of(ids.split(" "))
				.stream()
				.map((id) -> id.getBytes(StandardCharsets.UTF_8))
				.toArray();
			this.scripts.execute((RedisScript<T>) PUT, argumentSerializer, resultSerializer, keys, arguments);
		}
		List<Object> reply = new ArrayList<>(taken);
		reply.remove(1);
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
