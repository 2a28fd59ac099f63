package io.delayqueue.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Locale;

import io.delayqueue.store.Trends;
import io.delayqueue.store.Trends.Point;
import io.delayqueue.store.Trends.Span;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Describes the trends of queues.
 *
 * @param trends finds trends
 * @param reports finds queues
 */
record TrendReports(Trends trends, MessageReports reports) {

	/**
	 * The trend of a queue: what all processes that have trends switched on have counted
	 * together.
	 *
	 * @param queue the queue's name
	 * @param over the time that the trend covers: {@code hour}, {@code day} or
	 * {@code week}
	 * @param secondsPerPoint the time that a point covers, s
	 * @param points the points, the oldest first; the last one has not ended. Empty if no
	 * process has counted anything
	 */
	public record TrendDescriptor(String queue, String over, long secondsPerPoint,
			List<PointDescriptor> points) implements OperationResponseBody {

		/**
		 * A part of the time.
		 *
		 * @param at the begin of the part
		 * @param scheduled the number of stored messages
		 * @param handled the number of messages that a handler has handled
		 * @param failed the number of failed attempts
		 * @param deadLettered the number of messages that became dead letters
		 * @param waiting the number of scheduled messages at the end of the part,
		 * {@code null} if no consumer has counted them
		 * @param latenessP50Millis the lateness that half of the first deliveries did not
		 * exceed, ms, with an error of at most 10 %; {@code null} without a delivery
		 * @param latenessP99Millis the same for 99 % of them
		 * @param latenessMaxMillis the longest lateness, ms
		 */
		public record PointDescriptor(Instant at, long scheduled, long handled, long failed, long deadLettered,
				@Nullable Long waiting, @Nullable Long latenessP50Millis, @Nullable Long latenessP99Millis,
				@Nullable Long latenessMaxMillis) {

			static PointDescriptor of(Point point) {
				return new PointDescriptor(point.at(), count(point, Trends.SCHEDULED), count(point, Trends.HANDLED),
						count(point, Trends.FAILED), count(point, Trends.DEAD_LETTERED), point.figure(Trends.WAITING),
						point.lateness(0.5), point.lateness(0.99), point.figure(Trends.LONGEST_LATENESS));
			}

			private static long count(Point point, String name) {
				Long figure = point.figure(name);
				return (figure != null) ? figure : 0;
			}

		}

	}

	TrendDescriptor trend(String queue, Parameters parameters) {
		this.reports.epochs(queue);
		Span span = span(parameters);
		return new TrendDescriptor(queue, span.name().toLowerCase(Locale.ROOT), span.bucket().toSeconds(),
				this.trends.find(queue, span).stream().map(TrendDescriptor.PointDescriptor::of).toList());
	}

	private static Span span(Parameters parameters) {
		String over = parameters.text("over");
		for (Span span : Span.values()) {
			if (span.name().equalsIgnoreCase((over != null) ? over : "hour")) {
				return span;
			}
		}
		throw Parameters.invalid("over", over, "hour, day or week");
	}

}
