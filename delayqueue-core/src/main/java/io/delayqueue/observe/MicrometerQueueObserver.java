package io.delayqueue.observe;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntSupplier;

import io.delayqueue.CancelResult;
import io.delayqueue.ScheduleResult;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.store.Repairs.Damage;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Records the meters of {@link DelayQueueMeters}. The first producer event of a queue
 * registers all its producer meters, and the first consumer event all its consumer
 * meters, so that a counter is exported at 0 before it increases. A process that only
 * schedules has no consumer meters. An event costs one map lookup. Gauges of queue
 * contents are registered for every queue that this process consumes. For other queues
 * that it schedules to, they are registered as long as fewer than 100 queues have gauges.
 * Safe for use by several threads.
 *
 * <p>
 * Exceptions of the registry are propagated: see {@link QueueObservers}.
 */
public final class MicrometerQueueObserver implements QueueObserver {

	/**
	 * Limits the load of counting if an application creates a queue for each customer.
	 */
	private static final int MAX_GAUGED_PRODUCER_QUEUES = 100;

	private final MeterRegistry registry;

	private final Map<String, ProducerMeters> producers = new ConcurrentHashMap<>();

	private final Map<String, ConsumerMeters> consumers = new ConcurrentHashMap<>();

	private final Function<String, @Nullable Stock> stock;

	private final Set<String> gauged = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an observer.
	 * @param registry the registry of the meters
	 * @param stock returns the contents of a queue, {@code null} while they are unknown
	 */
	public MicrometerQueueObserver(MeterRegistry registry, Function<String, @Nullable Stock> stock) {
		this.registry = registry;
		this.stock = stock;
	}

	@Override
	public void consuming(String queue, IntSupplier inFlight) {
		consumer(queue).inFlight(inFlight);
	}

	@Override
	public void notConsuming(String queue) {
		consumer(queue).inFlight(ConsumerMeters.NONE);
	}

	@Override
	public void scheduled(String queue, ScheduleResult.Outcome outcome) {
		producer(queue).scheduled(outcome).increment();
	}

	@Override
	public void notScheduled(String queue, NotScheduled reason) {
		producer(queue).notScheduled(reason).increment();
	}

	@Override
	public void dropped(String queue, String group, String id) {
		producer(queue).dropped().increment();
	}

	@Override
	public void cancelled(String queue, CancelResult result) {
		producer(queue).cancelled(result).increment();
	}

	@Override
	public void swept(String queue, int messages) {
		consumer(queue).swept().increment(messages);
	}

	@Override
	public void delivered(String queue, Duration lateness) {
		consumer(queue).lateness().record(lateness);
	}

	@Override
	public void batched(String queue, int messages) {
		consumer(queue).batchSize().record(messages);
	}

	@Override
	public void handled(String queue, HandlerOutcome outcome, Duration took) {
		consumer(queue).handled(outcome).record(took);
	}

	@Override
	public void expired(String queue, String id, MessageExpiredEvent.Outcome outcome) {
		consumer(queue).expired(outcome).increment();
	}

	@Override
	public void superseded(String queue) {
		consumer(queue).superseded().increment();
	}

	@Override
	public void released(String queue, int messages) {
		consumer(queue).released().increment(messages);
	}

	@Override
	public void reclaimed(String queue, boolean dead) {
		consumer(queue).reclaimed(dead).increment();
	}

	@Override
	public void leaseLost(String queue, String id) {
		consumer(queue).leaseLost().increment();
	}

	@Override
	public void abandoned(String queue, int messages) {
		consumer(queue).abandoned().increment(messages);
	}

	@Override
	public void repaired(String queue, Damage damage, List<String> ids) {
		consumer(queue).repaired(damage).increment(ids.size());
	}

	private ProducerMeters producer(String queue) {
		return this.producers.computeIfAbsent(queue, (name) -> {
			if (this.gauged.size() < MAX_GAUGED_PRODUCER_QUEUES) {
				gaugeStock(name);
			}
			return new ProducerMeters(this.registry, name);
		});
	}

	private ConsumerMeters consumer(String queue) {
		return this.consumers.computeIfAbsent(queue, (name) -> {
			gaugeStock(name);
			return new ConsumerMeters(this.registry, name);
		});
	}

	private void gaugeStock(String queue) {
		if (this.gauged.add(queue)) {
			QueueGauges.register(this.registry, queue, () -> this.stock.apply(queue));
		}
	}

}
