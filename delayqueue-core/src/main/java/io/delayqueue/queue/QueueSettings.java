package io.delayqueue.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.util.unit.DataSize;

/**
 * The settings of one queue.
 *
 * @param name the queue's name
 * @param partitions the number of partitions, 1 to 1,024
 * @param concurrency the number of messages that a container handles at once, 1 to 10,000
 * @param visibilityTimeout the time after which a pending message is reclaimed if its
 * consumer has not renewed the lease, 1 s to 12 h
 * @param maxDelay the longest time ahead for which a message may be scheduled, 1 s to
 * 36,500 d
 * @param maxPayloadBytes the largest payload, 1 byte to 16 MiB
 * @param doneWindowOfGenerated the time for which Redis keeps a generated id after its
 * message has ended, 1 s to 1 d; the library repeats a failed call for a shorter time
 * than this
 * @param doneWindow the time for which Redis keeps an id given by a caller after its
 * message has ended, 1 s to 30 d
 * @param retry the settings for messages whose handlers fail, time out or crash
 * @param groups the limits of the queue's groups
 * @param expiry the settings for expired messages
 * @param flow the limits of the whole queue
 * @param ends the settings for messages that have ended
 */
public record QueueSettings(String name, int partitions, int concurrency, Duration visibilityTimeout, Duration maxDelay,
		int maxPayloadBytes, Duration doneWindowOfGenerated, Duration doneWindow, RetrySettings retry,
		GroupSettings groups, ExpirySettings expiry, FlowSettings flow, EndSettings ends) {

	/** The most partitions that a queue may have: generated ids cannot encode more. */
	public static final int MAX_PARTITIONS = 1024;

	/** The bounds of {@code partitions}. */
	public static final Bounds<Integer> PARTITIONS = new Bounds<>(1, MAX_PARTITIONS);

	/** The bounds of {@code concurrency}. */
	public static final Bounds<Integer> CONCURRENCY = new Bounds<>(1, 10_000);

	/** The bounds of {@code visibilityTimeout}. */
	public static final Bounds<Duration> VISIBILITY_TIMEOUT = new Bounds<>(Duration.ofSeconds(1), Duration.ofHours(12));

	/** The bounds of {@code maxDelay}. */
	public static final Bounds<Duration> MAX_DELAY = new Bounds<>(Duration.ofSeconds(1), Duration.ofDays(36_500));

	/** The bounds of {@code maxPayloadBytes}. */
	public static final Bounds<DataSize> MAX_PAYLOAD_SIZE = new Bounds<>(DataSize.ofBytes(1), DataSize.ofMegabytes(16));

	/** The bounds of {@code doneWindowOfGenerated}. */
	public static final Bounds<Duration> DONE_WINDOW_OF_GENERATED_IDS = new Bounds<>(Duration.ofSeconds(1),
			Duration.ofDays(1));

	/** The bounds of {@code doneWindow}. */
	public static final Bounds<Duration> DONE_WINDOW = new Bounds<>(Duration.ofSeconds(1), Duration.ofDays(30));

	/**
	 * Checks all settings, and names every fault in one exception.
	 * @throws IllegalArgumentException if a setting is out of its bounds
	 */
	public QueueSettings {
		List<String> faults = new ArrayList<>();
		PARTITIONS.check(faults, "partitions", partitions);
		CONCURRENCY.check(faults, "concurrency", concurrency);
		VISIBILITY_TIMEOUT.check(faults, "visibility-timeout", visibilityTimeout);
		MAX_DELAY.check(faults, "max-delay", maxDelay);
		MAX_PAYLOAD_SIZE.check(faults, "max-payload-size", DataSize.ofBytes(maxPayloadBytes));
		DONE_WINDOW_OF_GENERATED_IDS.check(faults, "done-window-of-generated-ids", doneWindowOfGenerated);
		DONE_WINDOW.check(faults, "done-window", doneWindow);
		retry.check(faults);
		groups.check(faults);
		expiry.check(faults);
		flow.check(faults);
		ends.check(faults, name);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException("Queue '" + name + "': " + String.join("; ", faults));
		}
	}

	/**
	 * Returns these settings with another concurrency.
	 * @param concurrency the number of messages that a container handles at once
	 * @return the new settings
	 */
	public QueueSettings withConcurrency(int concurrency) {
		return new QueueSettings(this.name, this.partitions, concurrency, this.visibilityTimeout, this.maxDelay,
				this.maxPayloadBytes, this.doneWindowOfGenerated, this.doneWindow, this.retry, this.groups, this.expiry,
				this.flow, this.ends);
	}

	/**
	 * Returns these settings with another timeout of handlers.
	 * @param timeout the time for which a handler may run
	 * @return the new settings
	 */
	public QueueSettings withTimeout(Duration timeout) {
		return new QueueSettings(this.name, this.partitions, this.concurrency, this.visibilityTimeout, this.maxDelay,
				this.maxPayloadBytes, this.doneWindowOfGenerated, this.doneWindow, this.retry.withTimeout(timeout),
				this.groups, this.expiry, this.flow, this.ends);
	}

	/**
	 * Returns the time for which Redis keeps an id after its message has ended.
	 * @param id the id
	 * @return the time for generated ids if the id has their form, otherwise the time for
	 * ids given by callers
	 */
	public Duration doneWindowOf(String id) {
		return (GeneratedIds.partitionOf(id) >= 0) ? this.doneWindowOfGenerated : this.doneWindow;
	}

}
