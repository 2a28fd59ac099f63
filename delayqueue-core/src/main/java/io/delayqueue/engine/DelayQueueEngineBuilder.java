package io.delayqueue.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import io.delayqueue.PayloadConverter;
import io.delayqueue.ScheduleRequestCustomizer;
import io.delayqueue.delivery.HandlerThreads;
import io.delayqueue.lifecycle.Intervals;
import io.delayqueue.maintain.MaintenanceSettings;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Queues;
import io.delayqueue.schedule.JacksonPayloadConverter;
import io.delayqueue.store.KeySpace;
import io.delayqueue.queue.SweepSettings;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Collects the settings of an engine and builds the engine. Each setting has the same
 * default as the Spring Boot property. This class is not thread-safe.
 */
public final class DelayQueueEngineBuilder {

	final RedisTemplate<String, byte[]> template;

	final Queues queues;

	final List<QueueObserver> observers = new ArrayList<>();

	Supplier<List<ScheduleRequestCustomizer>> customizers = List::of;

	KeySpace keySpace = new KeySpace("dq");

	SweepSettings sweeper = new SweepSettings(Duration.ofSeconds(1), 200, 0);

	boolean isSweeping = true;

	MaintenanceSettings maintenance = MaintenanceSettings.every(Duration.ofMinutes(5));

	Duration deadline = Duration.ofSeconds(5);

	boolean hasTrends;

	@Nullable PayloadConverter converter;

	MessageTracing tracing = MessageTracing.NONE;

	HandlerThreads threads = HandlerThreads.platform();

	Intervals intervals = Intervals.DEFAULT;

	DelayQueueEngineBuilder(RedisTemplate<String, byte[]> template, Queues queues) {
		this.template = template;
		this.queues = queues;
	}

	/**
	 * Sets the prefix of all keys that the engine uses in Redis, {@code dq} by default.
	 * @param prefix 1 to 50 characters of [A-Za-z0-9._:-]
	 * @return this builder
	 */
	public DelayQueueEngineBuilder keyPrefix(String prefix) {
		this.keySpace = new KeySpace(prefix);
		return this;
	}

	/**
	 * Sets how this process sweeps (finds due messages): by default at least every
	 * second, in batches of 200 messages.
	 * @param settings the settings of the sweeper
	 * @param enabled whether this process sweeps; if {@code false}, another process must
	 * sweep
	 * @return this builder
	 */
	public DelayQueueEngineBuilder sweeper(SweepSettings settings, boolean enabled) {
		this.sweeper = settings;
		this.isSweeping = enabled;
		return this;
	}

	/**
	 * Sets how often the keys in Redis are checked and repaired: every 5 minutes by
	 * default.
	 * @param settings the settings of the maintenance
	 * @return this builder
	 */
	public DelayQueueEngineBuilder maintenance(MaintenanceSettings settings) {
		this.maintenance = settings;
		return this;
	}

	/**
	 * Sets for how long the engine repeats a failed call of the application to Redis, 5 s
	 * by default.
	 * @param deadline the time, 1 ms to 1 h
	 * @return this builder
	 */
	public DelayQueueEngineBuilder deadline(Duration deadline) {
		this.deadline = deadline;
		return this;
	}

	/**
	 * Sets whether this process adds what it counts to the trends of the queues, which
	 * show the last hour, day and week: {@code false} by default.
	 * @param enabled whether to add to the trends
	 * @return this builder
	 */
	public DelayQueueEngineBuilder trends(boolean enabled) {
		this.hasTrends = enabled;
		return this;
	}

	/**
	 * Sets the converter of payloads, which writes JSON by default.
	 * @param converter writes and reads payloads
	 * @return this builder
	 */
	public DelayQueueEngineBuilder payloadConverter(PayloadConverter converter) {
		this.converter = converter;
		return this;
	}

	/**
	 * Sets the customizers of requests to schedule messages, none by default.
	 * @param customizers supplies the customizers in the order in which they are called;
	 * the engine calls this supplier only at the first request, so that a customizer may
	 * use the engine
	 * @return this builder
	 */
	public DelayQueueEngineBuilder customizers(Supplier<List<ScheduleRequestCustomizer>> customizers) {
		this.customizers = customizers;
		return this;
	}

	/**
	 * Adds observers of queues. The engine logs an exception of an observer and
	 * continues.
	 * @param observers the observers in the order in which they are notified
	 * @return this builder
	 */
	public DelayQueueEngineBuilder observers(Collection<? extends QueueObserver> observers) {
		this.observers.addAll(observers);
		return this;
	}

	/**
	 * Sets the tracing of messages, none by default. The engine logs an exception of the
	 * tracing and continues.
	 * @param tracing begins the tracing spans
	 * @return this builder
	 */
	public DelayQueueEngineBuilder tracing(MessageTracing tracing) {
		this.tracing = tracing;
		return this;
	}

	/**
	 * Sets the kind of threads for listeners that name no executor, platform threads by
	 * default.
	 * @param threads creates the threads
	 * @return this builder
	 */
	public DelayQueueEngineBuilder handlerThreads(HandlerThreads threads) {
		this.threads = threads;
		return this;
	}

	/** Sets the intervals of background tasks, for tests. */
	DelayQueueEngineBuilder intervals(Intervals intervals) {
		this.intervals = intervals;
		return this;
	}

	/**
	 * Builds the engine. This method does not call Redis.
	 * @return the engine
	 */
	public DelayQueueEngine build() {
		PayloadConverter own = this.converter;
		return new DelayQueueEngine(this,
				(own != null) ? own : new JacksonPayloadConverter(JsonMapper.builder().build()));
	}

}
