package io.delayqueue.observe;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

import io.delayqueue.MessageState;
import io.delayqueue.observe.QueueStatistics.Stock;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the contents of one queue; NaN while the contents are unknown.
 */
final class QueueGauges {

	private static final double MILLIS_PER_SECOND = 1000;

	private QueueGauges() {
	}

	static void register(MeterRegistry registry, String queue, Supplier<@Nullable Stock> stock) {
		messages(registry, queue, MessageState.SCHEDULED, of(stock, Stock::scheduled));
		messages(registry, queue, MessageState.PARKED, of(stock, Stock::parked));
		messages(registry, queue, MessageState.READY, of(stock, Stock::ready));
		messages(registry, queue, MessageState.PENDING, of(stock, Stock::pending));
		messages(registry, queue, MessageState.DEAD, of(stock, Stock::dead));
		DelayQueueMeters.OVERDUE.gauge(registry, queue, of(stock, Stock::overdue));
		DelayQueueMeters.OVERDUE_AGE.secondsGauge(registry, queue, of(stock, (known) -> seconds(known.overdueAge())));
		DelayQueueMeters.PAUSED.secondsGauge(registry, queue, of(stock, (known) -> seconds(known.pausedFor())));
		DelayQueueMeters.DRAINING.secondsGauge(registry, queue, of(stock, (known) -> seconds(known.drainingFor())));
	}

	private static void messages(MeterRegistry registry, String queue, MessageState state, Supplier<Number> count) {
		DelayQueueMeters.MESSAGES.gauge(registry, queue, DelayQueueMeters.value(state), count);
	}

	private static double seconds(Duration duration) {
		return duration.toMillis() / MILLIS_PER_SECOND;
	}

	private static Supplier<Number> of(Supplier<@Nullable Stock> stock, Function<Stock, Number> number) {
		return () -> {
			Stock known = stock.get();
			return (known != null) ? number.apply(known) : Double.NaN;
		};
	}

}
