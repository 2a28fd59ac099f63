package io.delayqueue.sample.orders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntSupplier;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.sample.orders.OrderStore.Abandoned;
import io.delayqueue.sample.orders.OrderStore.UnpaidPage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Profile;
import org.springframework.dao.DataAccessException;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;

/**
 * Completes operations that were interrupted between two steps by the death of an
 * instance or an outage of Redis. Every instance reconciles orders at its start and every
 * minute. Concurrent and interrupted runs of the reconciler are harmless. A run of the
 * reconciler does a bounded part of the work, and the next run continues from there.
 * <ol>
 * <li>A <em>new</em> order, whose request stopped before the order was accepted or
 * withdrawn, is placed again. No caller got a response for this order, so the order may
 * be accepted or, if the user's quota is used up, withdrawn. If the first request was
 * only slow, it finds that the reconciler owns the order now, and responds with a
 * conflict.</li>
 * <li>The timeout of an <em>accepted</em> unpaid order is scheduled again under the same
 * id. If the message of the timeout exists, the call changes nothing and takes no further
 * slot of the user's quota. If the message was lost, the call restores it. If the user's
 * quota is used up meanwhile, the order stays unchanged, and the next run tries again: an
 * accepted order is never withdrawn.</li>
 * <li>The message of a <em>closed or withdrawn</em> order is cancelled, because the
 * message would hold a slot of the user's quota until it is due. Usually this is the
 * second cancellation: it is necessary because the first one may have failed, or a slow
 * request may have scheduled the message afterwards. Such a slow request records the
 * order for this step.</li>
 * <li>Orders that have been closed for 7 days are removed.</li>
 * </ol>
 */
@Component
@Profile("!database")
final class OrderReconciler {

	private static final Logger logger = LoggerFactory.getLogger(OrderReconciler.class);

	private static final Duration KEEP_CLOSED = Duration.ofDays(7);

	private static final int PAGE = 200;

	private static final int PAGES_PER_RUN = 250;

	private final OrdersInRedis orders;

	private final OrderStore store;

	private final DelayQueueOperations delayQueue;

	/**
	 * The age from which a request for an order counts as interrupted: longer than a
	 * request normally takes.
	 */
	private final Duration settled;

	/**
	 * The position at which the next run continues. Only the scheduler uses this field,
	 * and it never runs two reconciliations at once.
	 */
	private @Nullable String position;

	OrderReconciler(OrdersInRedis orders, OrderStore store, DelayQueueOperations delayQueue,
			@Value("${sample.orders.settled-after:10s}") Duration settled) {
		this.orders = orders;
		this.store = store;
		this.delayQueue = delayQueue;
		this.settled = settled;
	}

	@Scheduled(fixedDelayString = "${sample.orders.reconcile-interval:1m}")
	void run() {
		try {
			pageByPage(this::finishAbandoned);
			scheduleMissing();
			pageByPage(this::cancelLeftOvers);
			pageByPage(() -> this.store.forgetClosed(KEEP_CLOSED, PAGE));
		}
		catch (DelayQueueException | DataAccessException ex) {
			logger.warn("Reconciling orders stopped early and continues with the next run: {}", ex.toString());
		}
	}

	private static void pageByPage(IntSupplier page) {
		for (int pages = 0; pages < PAGES_PER_RUN; pages++) {
			if (page.getAsInt() < PAGE) {
				return;
			}
		}
	}

	private int finishAbandoned() {
		List<Abandoned> page = this.store.abandoned(this.settled, PAGE);
		for (Abandoned request : page) {
			try {
				this.orders.finish(request);
				logger.info("Order '{}', whose request was not finished, is accepted", request.id());
			}
			catch (ErrorResponseException | InvalidMessageException | QueueDrainingException ex) {
				logger.info("Order '{}', whose request was not finished, is not accepted: {}", request.id(),
						ex.getMessage());
			}
		}
		return page.size();
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
			logger.info("{} unpaid orders had no timeout; their timeouts are scheduled now", missing);
		}
		if (!stuck.isEmpty()) {
			logger
				.warn("{} orders stay unpaid, for example '{}': their timeouts are dead letters, which need a redrive, "
						+ "are due beyond the max-delay of the queue, or were lost and their users' quotas are used up",
						stuck.size(), stuck.get(0));
		}
	}

	private int scheduleAgain(List<Order> orders, List<String> stuck) {
		int missing = 0;
		for (ScheduleAnswer answer : this.delayQueue.scheduleAll(orders.stream().map(OrderTimeouts::of).toList())) {
			if (answer.failure() instanceof InvalidMessageException
					|| answer.failure() instanceof QuotaExceededException) {
				stuck.add(answer.id());
			}
			else if (answer.failure() != null) {
				throw answer.failure();
			}
			else if (Objects.requireNonNull(answer.result()).outcome() == Outcome.DEAD_LETTER) {
				this.store.flag(answer.id());
				stuck.add(answer.id());
			}
			else if (answer.isAccepted()) {
				this.store.noteLeftOver(answer.id());
				missing++;
			}
		}
		return missing;
	}

	private int cancelLeftOvers() {
		List<String> page = this.store.leftOvers(this.settled, PAGE);
		for (String id : page) {
			if (!this.store.isOpen(id)) {
				this.delayQueue.cancel(OrderTimeouts.QUEUE, id);
			}
			this.store.forgetLeftOver(id);
		}
		return page.size();
	}

}
