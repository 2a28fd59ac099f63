package io.delayqueue.observe;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

import io.delayqueue.CancelResult;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleResult;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Records the meters of {@link DelayQueueMeters}. The first producer event of a queue
 * registers all producer meters of the queue, and the first consumer event registers all
 * its consumer meters, so that a counter is exported at 0 before it increases. A process
 * that only schedules has no consumer meters. Recording an event costs a few map lookups.
 * The first event of a queue also registers the gauges of the contents and the state of
 * the queue. A process that only schedules to the queue registers these gauges only while
 * fewer than 100 queues have gauges; of a further queue it registers each counter at its
 * first use. Safe for use by several threads.
 *
 * <p>
 * This class throws exceptions of the registry to its caller, {@link QueueObservers},
 * which catches them.
 */
public final class MicrometerQueueObserver implements QueueObserver, AopInfrastructureBean {

	/**
	 * The maximum number of queues with gauges, and with all counters from the first
	 * message on, in a process that only schedules. Counting the contents of more queues
	 * would load Redis if an application creates a queue for each customer, and most of
	 * the counters would stay 0.
	 */
	private static final int MAX_GAUGED_PRODUCER_QUEUES = 100;

	private static final double MILLIS_PER_SECOND = 1000;

	private final MeterRegistry registry;

	private final Map<String, QueueMeters> producers = new ConcurrentHashMap<>();

	private final Map<String, QueueMeters> consumers = new ConcurrentHashMap<>();

	private final Map<String, IntSupplier> inFlight = new ConcurrentHashMap<>();

	private final Function<String, @Nullable Stock> stock;

	private final ToIntFunction<String> owned;

	private final Set<String> gauged = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an observer.
	 * @param registry the registry of the meters
	 * @param stock returns the contents of a queue, {@code null} while the contents are
	 * unknown
	 * @param owned returns how many partitions of a queue this process owns
	 */
	public MicrometerQueueObserver(MeterRegistry registry, Function<String, @Nullable Stock> stock,
			ToIntFunction<String> owned) {
		this.registry = registry;
		this.stock = stock;
		this.owned = owned;
	}

	@Override
	public void consuming(String queue, IntSupplier inFlight) {
		consumer(queue);
		this.inFlight.put(queue, inFlight);
	}

	@Override
	public void notConsuming(String queue) {
		consumer(queue);
		this.inFlight.remove(queue);
	}

	@Override
	public void scheduled(String queue, ScheduleResult.Outcome outcome) {
		producer(queue).counter(DelayQueueMeters.SCHEDULED, outcome).increment();
	}

	@Override
	public void notScheduled(String queue, NotScheduled reason) {
		producer(queue).counter(DelayQueueMeters.SCHEDULED, reason).increment();
	}

	@Override
	public void dropped(String queue, String group, String id) {
		producer(queue).counter(DelayQueueMeters.DROPPED).increment();
	}

	@Override
	public void cancelled(String queue, CancelResult result) {
		producer(queue).counter(DelayQueueMeters.CANCELLED, result).increment();
	}

	@Override
	public void swept(String queue, int messages) {
		consumer(queue).counter(DelayQueueMeters.SWEPT).increment(messages);
	}

	@Override
	public void delivered(String queue, Duration lateness) {
		consumer(queue).timer(DelayQueueMeters.LATENESS).record(lateness);
	}

	@Override
	public void batched(String queue, int messages) {
		consumer(queue).summary(DelayQueueMeters.BATCH_SIZE).record(messages);
	}

	@Override
	public void handled(String queue, HandlerOutcome outcome, Duration took) {
		consumer(queue).timer(DelayQueueMeters.HANDLED, outcome).record(took);
	}

	@Override
	public void expired(String queue, StoredId id, MessageExpiredEvent.Outcome outcome) {
		consumer(queue).counter(DelayQueueMeters.EXPIRED, outcome).increment();
	}

	@Override
	public void superseded(String queue) {
		consumer(queue).counter(DelayQueueMeters.SUPERSEDED).increment();
	}

	@Override
	public void released(String queue, int messages) {
		consumer(queue).counter(DelayQueueMeters.RELEASED).increment(messages);
	}

	@Override
	public void reclaimed(String queue, boolean dead) {
		consumer(queue).counter(DelayQueueMeters.RECLAIMED, dead ? MessageState.DEAD : MessageState.SCHEDULED)
			.increment();
	}

	@Override
	public void leaseLost(String queue, StoredId id) {
		consumer(queue).counter(DelayQueueMeters.LEASE_LOST).increment();
	}

	@Override
	public void abandoned(String queue, int messages) {
		consumer(queue).counter(DelayQueueMeters.ABANDONED).increment(messages);
	}

	@Override
	public void missed(String queue, String key, long instants) {
		consumer(queue).counter(DelayQueueMeters.RECURRING_MISSED).increment((double) instants);
	}

	@Override
	public void skipped(String queue, String key, long instants) {
		consumer(queue).counter(DelayQueueMeters.RECURRING_SKIPPED).increment((double) instants);
	}

	@Override
	public void repaired(String queue, Damage damage, List<StoredId> ids) {
		consumer(queue).counter(DelayQueueMeters.REPAIRED, damage).increment(ids.size());
	}

	private QueueMeters producer(String queue) {
		return this.producers.computeIfAbsent(queue, (name) -> {
			if (this.gauged.size() < MAX_GAUGED_PRODUCER_QUEUES) {
				gaugeStock(name);
			}
			return new QueueMeters(this.registry, name,
					EnumSet.range(DelayQueueMeters.SCHEDULED, DelayQueueMeters.CANCELLED), this.gauged.contains(name));
		});
	}

	private QueueMeters consumer(String queue) {
		return this.consumers.computeIfAbsent(queue, (name) -> {
			gaugeStock(name);
			DelayQueueMeters.IN_FLIGHT.gauge(this.registry, name,
					() -> this.inFlight.getOrDefault(name, () -> 0).getAsInt());
			DelayQueueMeters.PARTITIONS_OWNED.gauge(this.registry, name, () -> this.owned.applyAsInt(name));
			return new QueueMeters(this.registry, name,
					EnumSet.range(DelayQueueMeters.SWEPT, DelayQueueMeters.REPAIRED), true);
		});
	}

	private void gaugeStock(String queue) {
		if (this.gauged.add(queue)) {
			gaugeMessages(queue, MessageState.SCHEDULED, Stock::scheduled);
			gaugeMessages(queue, MessageState.PARKED, Stock::parked);
			gaugeMessages(queue, MessageState.READY, Stock::ready);
			gaugeMessages(queue, MessageState.PENDING, Stock::pending);
			gaugeMessages(queue, MessageState.DEAD, Stock::dead);
			DelayQueueMeters.OVERDUE.gauge(this.registry, queue, known(queue, Stock::overdue));
			gaugeSeconds(queue, DelayQueueMeters.OVERDUE_AGE, Stock::overdueAge);
			gaugeSeconds(queue, DelayQueueMeters.PAUSED, Stock::pausedFor);
			gaugeSeconds(queue, DelayQueueMeters.DRAINING, Stock::drainingFor);
			gaugeSeconds(queue, DelayQueueMeters.HELD, Stock::heldFor);
			DelayQueueMeters.HELD_GROUPS.gauge(this.registry, queue, known(queue, Stock::heldGroups));
		}
	}

	private void gaugeMessages(String queue, MessageState state, Function<Stock, Number> count) {
		DelayQueueMeters.MESSAGES.gauge(this.registry, queue, state, known(queue, count));
	}

	private void gaugeSeconds(String queue, DelayQueueMeters meter, Function<Stock, Duration> time) {
		meter.gauge(this.registry, queue, known(queue, (stock) -> time.apply(stock).toMillis() / MILLIS_PER_SECOND));
	}

	/**
	 * Returns a supplier of one number about the contents of a queue; the supplier
	 * returns NaN while the contents are unknown.
	 */
	private Supplier<Number> known(String queue, Function<Stock, Number> number) {
		return () -> {
			Stock known = this.stock.apply(queue);
			return (known != null) ? number.apply(known) : Double.NaN;
		};
	}

	/** The meters of one queue, which can be found without building tags. */
	private static final class QueueMeters {

		private final MeterRegistry registry;

		private final String queue;

		private final Map<DelayQueueMeters, Map<Enum<?>, Meter>> registered = new EnumMap<>(DelayQueueMeters.class);

		/**
		 * Creates the meters of a queue.
		 * @param ahead {@code true} to register all of them now, {@code false} to
		 * register each at its first use
		 */
		QueueMeters(MeterRegistry registry, String queue, Set<DelayQueueMeters> meters, boolean ahead) {
			this.registry = registry;
			this.queue = queue;
			meters.forEach((meter) -> this.registered.put(meter, new ConcurrentHashMap<>()));
			if (ahead) {
				meters.forEach((meter) -> meter.constants().forEach((value) -> of(meter, value)));
			}
		}

		Counter counter(DelayQueueMeters meter) {
			return counter(meter, meter);
		}

		Counter counter(DelayQueueMeters meter, Enum<?> value) {
			return (Counter) of(meter, value);
		}

		Timer timer(DelayQueueMeters meter) {
			return timer(meter, meter);
		}

		Timer timer(DelayQueueMeters meter, Enum<?> value) {
			return (Timer) of(meter, value);
		}

		DistributionSummary summary(DelayQueueMeters meter) {
			return (DistributionSummary) of(meter, meter);
		}

		private Meter of(DelayQueueMeters meter, Enum<?> value) {
			return Objects.requireNonNull(this.registered.get(meter))
				.computeIfAbsent(value, (one) -> meter.register(this.registry, this.queue, one));
		}

	}

}
