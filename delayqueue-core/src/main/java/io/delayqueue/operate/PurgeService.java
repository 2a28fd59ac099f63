package io.delayqueue.operate;

import java.time.Duration;
import java.util.List;

import io.delayqueue.MessageState;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Pages;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.Pages.Position;
import io.delayqueue.store.Purges;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.StoredId;

/**
 * Removes all messages of a queue for an operator (purge), page by page, so that no
 * script runs long.
 *
 * <p>
 * During a purge a scheduled message may become ready, and a ready or pending message may
 * be scheduled again. So the purge removes the messages of each partition in this order:
 * <ol>
 * <li>pending and ready messages, so that none of them is scheduled again;</li>
 * <li>parked and scheduled messages;</li>
 * <li>messages that have become parked, ready or pending during the first two steps;</li>
 * <li>the dead letters that exist at this step, if the caller has requested to remove
 * dead letters.</li>
 * </ol>
 */
final class PurgeService {

	private static final List<MessageState> ORDER = List.of(MessageState.PENDING, MessageState.READY,
			MessageState.PARKED, MessageState.SCHEDULED, MessageState.PARKED, MessageState.READY, MessageState.PENDING);

	private final KnownPartitions known;

	private final Pages pages;

	private final Purges purges;

	private final RetryingCalls retryingCalls;

	PurgeService(KnownPartitions known, RedisCalls calls, RetryingCalls retryingCalls, Wakeups wakeups) {
		this.known = known;
		this.pages = new Pages(calls);
		this.purges = new Purges(calls, wakeups::removed);
		this.retryingCalls = retryingCalls;
	}

	PurgeResult purge(String queue, Duration window, boolean deadLetters) {
		Run run = new Run(window, deadLetters);
		for (Partition partition : this.known.of(queue)) {
			ORDER.forEach((state) -> run.purge(partition, state));
			if (deadLetters) {
				run.purge(partition, MessageState.DEAD);
			}
		}
		return new PurgeResult(queue, run.waiting, run.inFlight, run.died);
	}

	private final class Run {

		private final Duration window;

		private final boolean deadLetters;

		private long waiting;

		private long inFlight;

		private long died;

		Run(Duration window, boolean deadLetters) {
			this.window = window;
			this.deadLetters = deadLetters;
		}

		/**
		 * Removes all messages of a partition that are in the given state, page by page.
		 */
		void purge(Partition partition, MessageState state) {
			Position next = (state == MessageState.DEAD) ? Position.BEGIN_BOUNDED : Position.BEGIN;
			while (next != null) {
				Position after = next;
				Page page = PurgeService.this.retryingCalls.call(partition.queue(),
						() -> PurgeService.this.pages.list(partition, state, after, Purges.MOST));
				purge(partition, page.messages().stream().map(Listed::storedId).toList());
				next = page.next();
			}
		}

		private void purge(Partition partition, List<StoredId> ids) {
			List<StoredId> left = ids;
			while (!left.isEmpty()) {
				List<StoredId> now = left;
				String token = CallToken.next();
				Purged purged = PurgeService.this.retryingCalls.call(partition, now,
						(movable) -> movable.isEmpty() ? new Purged(now.size(), 0, 0, 0) : PurgeService.this.purges
							.purge(partition, token, this.window, this.deadLetters, false, movable));
				this.waiting += purged.waiting();
				this.inFlight += purged.inFlight();
				this.died += purged.deadLetters();
				left = left.subList(purged.processed(), left.size());
			}
		}

	}

}
