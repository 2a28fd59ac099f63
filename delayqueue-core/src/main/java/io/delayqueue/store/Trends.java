package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The trends of queues: what all processes together have scheduled, handled and
 * dead-lettered in the last hour, day and week, and how late they were. A queue has one
 * key, whose buckets are used again and again, so that it stays below about 70 KB. Each
 * method runs one atomic script, is safe to repeat, and throws {@link StoreException}.
 */
public final class Trends {

	/** The name of the number of scheduled messages. */
	public static final String SCHEDULED = "s";

	/** The name of the number of handled messages. */
	public static final String HANDLED = "h";

	/** The name of the number of failed attempts. */
	public static final String FAILED = "f";

	/** The name of the number of messages that became dead letters. */
	public static final String DEAD_LETTERED = "d";

	/** The name of the number of waiting messages. */
	public static final String WAITING = "w";

	/** The name of the longest lateness, ms. */
	public static final String LONGEST_LATENESS = "m";

	private static final char LATENESS = 'l';

	/** The ranges of lateness between a duration and its double. */
	private static final int RANGES_OF_DOUBLE = 4;

	private static final String SPANS = Arrays.stream(Span.values())
		.map((span) -> span.bucket.toSeconds() + " " + span.buckets)
		.collect(Collectors.joining(" "));

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Trends(RedisCalls calls) {
		this.calls = calls;
	}

	/** The time that a trend covers. */
	public enum Span {

		/** An hour in minutes. */
		HOUR(Duration.ofMinutes(1), 60),

		/** A day in quarters of an hour. */
		DAY(Duration.ofMinutes(15), 96),

		/** A week in parts of two hours. */
		WEEK(Duration.ofHours(2), 84);

		private final Duration bucket;

		private final int buckets;

		Span(Duration bucket, int buckets) {
			this.bucket = bucket;
			this.buckets = buckets;
		}

		/**
		 * {@return the time that one point of the trend covers}
		 */
		public Duration bucket() {
			return this.bucket;
		}

	}

	/**
	 * What all processes have counted in a part of a span.
	 *
	 * @param at the begin of the part, by the clock of Redis
	 * @param figures the figures by name; a figure that is absent is 0 or unknown
	 */
	public record Point(Instant at, Map<String, Long> figures) {

		/**
		 * Returns a figure.
		 * @param name the name of the figure
		 * @return the figure, {@code null} if no process has counted any
		 */
		public @Nullable Long figure(String name) {
			return this.figures.get(name);
		}

		/**
		 * Returns the lateness that a share of the first deliveries did not exceed, with
		 * an error of at most 10 %.
		 * @param share the share, for example 0.99
		 * @return the lateness in ms, {@code null} if no message was delivered
		 */
		public @Nullable Long lateness(double share) {
			SortedMap<Integer, Long> ranges = new TreeMap<>();
			this.figures.forEach((name, number) -> {
				if (name.charAt(0) == LATENESS) {
					ranges.put(Integer.parseInt(name.substring(1)), number);
				}
			});
			long left = (long) Math.ceil(share * ranges.values().stream().mapToLong(Long::longValue).sum());
			for (Map.Entry<Integer, Long> range : ranges.entrySet()) {
				left -= range.getValue();
				if (left <= 0) {
					long middle = (range.getKey() == 0) ? 0
							: Math.round(Math.pow(2, (range.getKey() - 0.5) / RANGES_OF_DOUBLE));
					return Math.min(middle, this.figures.getOrDefault(LONGEST_LATENESS, middle));
				}
			}
			return null;
		}

	}

	/**
	 * Returns the name of the number of deliveries that are about as late as a given one.
	 * @param latenessMillis the lateness, ms
	 * @return the name
	 */
	public static String lateness(long latenessMillis) {
		int range = (latenessMillis < 1) ? 0
				: 1 + (int) (RANGES_OF_DOUBLE * Math.log((double) latenessMillis) / Math.log(2));
		return LATENESS + Integer.toString(range);
	}

	/**
	 * Adds what a process has counted since its last call.
	 * @param queue the queue
	 * @param run the number of this call of the process about the queue, from 1; a repeat
	 * of the call passes the same number
	 * @param figures the figures by name, at least one
	 */
	public void add(String queue, long run, Map<String, Long> figures) {
		List<Object> namesAndFigures = new ArrayList<>();
		figures.forEach((name, figure) -> {
			namesAndFigures.add(name);
			namesAndFigures.add(figure);
		});
		this.calls.run(StoreScript.ADD_TREND, first(queue), this.calls.process(), run, SPANS, namesAndFigures);
	}

	/**
	 * Finds the trend of a queue.
	 * @param queue the queue
	 * @param span the time that the trend covers, until now
	 * @return the points of the span, the oldest first; empty if no process has counted
	 * anything in the span
	 */
	public List<Point> find(String queue, Span span) {
		long size = span.bucket.toSeconds();
		Reply reply = this.calls.run(StoreScript.FIND_TREND, first(queue), size, span.buckets);
		Map<Long, Map<String, Long>> known = new HashMap<>();
		long last = reply.number(1) / size;
		for (int i = 2; i < reply.size(); i++) {
			String[] words = reply.text(i).split(" ");
			long bucket = Long.parseLong(words[0]);
			if (bucket > last - span.buckets) {
				known.put(bucket,
						Arrays.stream(words)
							.skip(1)
							.map((word) -> word.split("="))
							.collect(Collectors.toMap((pair) -> pair[0], (pair) -> Long.parseLong(pair[1]))));
			}
		}
		List<Point> points = new ArrayList<>();
		for (long bucket = last - span.buckets + 1; bucket <= last && !known.isEmpty(); bucket++) {
			points.add(new Point(Instant.ofEpochSecond(bucket * size), known.getOrDefault(bucket, Map.of())));
		}
		return points;
	}

	private static Partition first(String queue) {
		return new Partition(queue, 0);
	}

}
