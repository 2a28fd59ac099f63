package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.delayqueue.DurationText;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.NewerRecordException;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs and counts conditions that concern several partitions of one consumer, so that a
 * condition of the whole queue is logged only once. Safe for use by several threads.
 */
final class ConsumerLog {

	private static final Log logger = LogFactory.getLog(ConsumerLog.class);

	private static final int IDS_IN_LOG = 10;

	private final QueueSettings settings;

	private final QueueObserver observer;

	private final Set<Character> newerVersions = ConcurrentHashMap.newKeySet();

	private final Set<Duration> otherTimeouts = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean paused = new AtomicBoolean();

	private final AtomicBoolean held = new AtomicBoolean();

	ConsumerLog(QueueSettings settings, QueueObserver observer) {
		this.settings = settings;
		this.observer = observer;
	}

	/**
	 * Reports messages that are lost because another program has removed their records.
	 */
	void lost(List<StoredId> ids) {
		if (!ids.isEmpty()) {
			String queue = this.settings.name();
			this.observer.repaired(queue, Damage.LOST, ids);
			logger.error(ids.size() + " messages of queue '" + queue
					+ "' are lost: another program has removed their records, so they cannot be delivered; the first of"
					+ " them are " + ids.subList(0, Math.min(ids.size(), IDS_IN_LOG)));
		}
	}

	/**
	 * Reports messages that are released because only a newer version of the library can
	 * read them.
	 */
	void newer(List<NewerRecordException> givenBack) {
		if (givenBack.isEmpty()) {
			return;
		}
		this.observer.released(this.settings.name(), givenBack.size());
		Map<Character, String> problems = givenBack.stream()
			.collect(Collectors.toMap(NewerRecordException::version, (newer) -> String.valueOf(newer.getMessage()),
					(one, other) -> one));
		problems.forEach((version, problem) -> {
			if (this.newerVersions.add(version)) {
				logger.warn("Messages of queue '" + this.settings.name()
						+ "' were written by a newer version of this library (" + problem
						+ "). This process releases these messages repeatedly until a process with the newer version"
						+ " handles them; update all processes");
			}
		});
	}

	/**
	 * Warns if Redis stores another visibility timeout for the queue than this process
	 * has configured.
	 */
	void visibilityTimeout(Partition partition, Duration stored, Leases leases) {
		Duration ours = this.settings.visibilityTimeout();
		if (!stored.equals(ours) && this.otherTimeouts.add(stored)) {
			logger.warn("Queue '" + this.settings.name() + "' has a visibility timeout of " + DurationText.of(ours)
					+ " in this process, but Redis stores " + DurationText.of(stored)
					+ ", which applies. Set the same value in all processes,"
					+ " or change the stored value of each partition: " + leases.commandToStore(partition, ours));
		}
	}

	/** Logs that a hold of the queue has begun, or that it has ended. */
	void held(boolean any) {
		if (this.held.compareAndSet(!any, any)) {
			logger.info("Queue '" + this.settings.name() + "' is " + (any
					? "held: this process handles no message of the queue until the hold ends" : "not held any more"));
		}
	}

	/**
	 * Logs that the queue has been paused for all processes, or that it has been resumed.
	 */
	void paused(boolean any) {
		if (this.paused.compareAndSet(!any, any)) {
			logger.info("Queue '" + this.settings.name() + "' is " + (any
					? "paused for all processes: this process handles no message of the queue until it is resumed"
					: "resumed for all processes"));
		}
	}

}
