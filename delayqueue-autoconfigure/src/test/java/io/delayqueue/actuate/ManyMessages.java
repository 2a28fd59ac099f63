package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.RespClient;

/**
 * A queue {@code orders} with very many messages, written without asking the product, as
 * that would take minutes.
 */
final class ManyMessages {

	/** So many are due; half of them are with consumers. */
	private static final int DUE = 10_000;

	private static final int STEP = 1000;

	private static final long FAR = Instant.parse("2100-01-01T00:00:00Z").toEpochMilli();

	private ManyMessages() {
	}

	/** Adds so many that wait, and so many dead letters. */
	static void fill(RespClient redis, WebApplication application, int waiting, int dead) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("first").delay(Duration.ofDays(1)));
		String key = application.prefix() + ":{orders:0}:";
		String record = "1%016daaaaaaaaaaa\n\"%s\"".formatted(FAR, "x".repeat(300));
		// Half of them due in one millisecond
		IntFunction<String> due = (i) -> Long.toString((i % 2 == 0) ? FAR : FAR + i);
		each(waiting, "id-%06d", (ids) -> redis.call(words("HSET", key + "messages", ids, (i) -> record, false)));
		each(waiting, "id-%06d", (ids) -> redis.call(words("ZADD", key + "scheduled", ids, due, true)));
		String failure = "5|0|0|1-1|HANDLER_FAILED|java.lang.IllegalStateException|" + "y".repeat(400);
		each(dead, "dead-%06d", (ids) -> {
			redis.call(words("HSET", key + "messages", ids, (i) -> record, false));
			redis.call(words("HSET", key + "failures", ids, (i) -> failure, false));
			redis.call(words("ZADD", key + "dead", ids, (i) -> "1", true));
		});
		redis.call("XGROUP", "CREATE", key + "ready", "consumers", "0", "MKSTREAM");
		for (int i = 1; i <= DUE; i++) {
			redis.call("XADD", key + "ready", "1-" + i, "id", "due-%06d".formatted(i - 1));
		}
		each(DUE, "due-%06d", (ids) -> {
			redis.call(words("HSET", key + "messages", ids, (i) -> record, false));
			redis.call(words("HSET", key + "entries", ids,
					(i) -> "1-" + (Integer.parseInt(ids.get(i).substring(4)) + 1), false));
		});
		for (int i = 0; i < 50; i++) {
			redis.call("XREADGROUP", "GROUP", "consumers", "consumer-" + i, "COUNT", Integer.toString(DUE / 100),
					"STREAMS", key + "ready", ">");
		}
	}

	private static void each(int count, String form, Consumer<List<String>> step) {
		for (int from = 0; from < count; from += STEP) {
			List<String> ids = new ArrayList<>();
			for (int i = from; i < from + STEP; i++) {
				ids.add(form.formatted(i));
			}
			step.accept(ids);
		}
	}

	private static String[] words(String command, String key, List<String> ids, IntFunction<String> value,
			boolean valueFirst) {
		String[] words = new String[2 + 2 * ids.size()];
		Arrays.setAll(words, (i) -> {
			if (i < 2) {
				return (i == 0) ? command : key;
			}
			int n = (i - 2) / 2;
			return ((i % 2 == 0) == valueFirst) ? value.apply(n) : ids.get(n);
		});
		return words;
	}

}
