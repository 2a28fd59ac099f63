package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.sample.orders.OrderStore.UnpaidPage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Runs at the start and every minute, in every instance:
 * <ol>
 * <li>Every unpaid order is scheduled again under the same id. That is harmless where the
 * timeout waits already; where an instance died, or Redis was away, between storing an
 * order and scheduling it, it is the repair.</li>
 * <li>Orders that have been closed for 7 days are forgotten.</li>
 * </ol>
 * A run does a bounded part of the work and the next one goes on from there. No order is
 * harmed if several instances do the same part.
 */
@Component
final class OrderUpkeep {

	private static final Logger logger = LoggerFactory.getLogger(OrderUpkeep.class);

	private static final Duration KEEP_CLOSED = Duration.ofDays(7);

	private static final int PAGE = 200;

	private static final int PAGES_PER_RUN = 250;

	private final OrderStore store;

	private final DelayQueueOperations delayQueue;

	/** Confined to the scheduler, which never runs two of these at once. */
	private @Nullable String position;

	OrderUpkeep(OrderStore store, DelayQueueOperations delayQueue) {
		this.store = store;
		this.delayQueue = delayQueue;
	}

	@Scheduled(fixedDelayString = "${sample.orders.upkeep-interval:1m}")
	void run() {
		try {
			scheduleMissing();
			forgetClosed();
		}
		catch (DelayQueueException | DataAccessException ex) {
			logger.warn("The upkeep of orders stopped early and goes on with the next run: {}", ex.toString());
		}
	}

	private void scheduleMissing() {
		int missing = 0;
		List<String> stuck = new ArrayList<>();
		for (int page = 0; page < PAGES_PER_RUN; page++) {
			UnpaidPage unpaid = this.store.unpaidAfter(this.position, PAGE);
			missing += scheduleAgain(unpaid.orders(), stuck);
			this.position = unpaid.next();
			if (this.position == null) {
				break;
			}
		}
		if (missing > 0) {
			logger.info("{} unpaid orders had no timeout; it is scheduled now", missing);
		}
		if (!stuck.isEmpty()) {
			logger.warn("{} orders stay unpaid, '{}' for one: their timeouts are dead letters, which need a redrive, "
					+ "or due beyond the max-delay of the queue", stuck.size(), stuck.get(0));
		}
	}

	private int scheduleAgain(List<Order> orders, List<String> stuck) {
		int missing = 0;
		for (ScheduleAnswer answer : this.delayQueue.scheduleAll(orders.stream().map(OrderTimeouts::of).toList())) {
			if (answer.failure() instanceof InvalidMessageException) {
				stuck.add(answer.id());
			}
			else if (answer.failure() != null) {
				throw answer.failure();
			}
			else if (Objects.requireNonNull(answer.result()).outcome() == Outcome.DEAD_LETTER) {
				stuck.add(answer.id());
			}
			else if (answer.isAccepted()) {
				missing++;
			}
		}
		return missing;
	}

	private void forgetClosed() {
		for (int page = 0; page < PAGES_PER_RUN; page++) {
			if (this.store.forgetClosed(KEEP_CLOSED, PAGE) < PAGE) {
				break;
			}
		}
	}

}
