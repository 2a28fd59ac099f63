package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.redis.PatientRedis;
import io.delayqueue.sample.redis.Scripts;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * The orders in Redis: a hash for each, and one index. Their keys share a hash tag, so in
 * a cluster they live in one slot and every change is one script. Every call may be
 * repeated, and takes the time from Redis.
 */
@Component
final class OrderStore {

	private static final String NEW = "sample:{orders}:new";

	private static final String CLOSED = "sample:{orders}:closed";

	private static final String LEFT_OVERS = "sample:{orders}:left-overs";

	private static final String SEQUENCE = "sample:{orders}:sequence";

	private static final Scripts SCRIPTS = Scripts.of(OrderStore.class);

	private static final RedisScript<List<String>> PLACE = SCRIPTS.fields("place-order");

	private static final RedisScript<Long> ACCEPT = SCRIPTS.number("accept-order");

	private static final RedisScript<Long> WITHDRAW = SCRIPTS.number("withdraw-order");

	private static final RedisScript<List<String>> CLOSE = SCRIPTS.fields("close-order");

	private static final RedisScript<Long> FORGET = SCRIPTS.number("forget-order");

	private static final RedisScript<List<String>> READ = SCRIPTS.fields("read-orders");

	/** How many fields of an order are read. */
	private static final int FIELDS = 6;

	private final PatientRedis redis;

	OrderStore(PatientRedis redis) {
		this.redis = redis;
	}

	/**
	 * Stores an order unless its id is known; rounds the time to pay up to whole ms. It
	 * is not seen before it is accepted.
	 */
	Placement place(String id, String userId, Duration payWithin, String request) {
		long payWithinMillis = payWithin.plusNanos(999_999).toMillis();
		List<String> reply = this.redis.call((redis) -> redis.execute(PLACE, List.of(key(id), NEW, SEQUENCE), id,
				userId, Long.toString(payWithinMillis), request));
		return new Placement(order(id, reply, 1, false), reply.get(0).equals("TAKEN"));
	}

	/** Accepts a new order, unless another request has taken it over by now. */
	boolean accept(String id, String request, boolean told) {
		return this.redis.call((redis) -> redis.execute(ACCEPT, List.of(key(id), OrderIndex.KEY, NEW, LEFT_OVERS), id,
				request, told ? "1" : "0")) == 1;
	}

	/** Removes a new order, unless another request has taken it over by now. */
	void withdraw(String id, String request) {
		this.redis.call((redis) -> redis.execute(WITHDRAW, List.of(key(id), NEW, LEFT_OVERS), id, request));
	}

	/** Closes an order if it is UNPAID and, for TIMEOUT, due. */
	Closing close(String id, Status status, ClosedBy closedBy) {
		List<String> keys = List.of(key(id), OrderIndex.KEY, NEW, CLOSED, LEFT_OVERS);
		List<String> reply = this.redis.call((redis) -> redis.execute(CLOSE, keys, id, status.name(), closedBy.name()));
		Closing.Outcome outcome = Closing.Outcome.valueOf(reply.get(0));
		return new Closing(outcome, (outcome == Closing.Outcome.UNKNOWN) ? null : order(id, reply, 1, false));
	}

	/** Notes that the timeout of an order was set aside; for as long as it is open. */
	void flag(String id) {
		if (find(id) != null) {
			this.redis.run((redis) -> redis.opsForHash().put(key(id), "flagged", "1"));
		}
	}

	Instant now() {
		return this.redis.now(NEW);
	}

	@Nullable Order find(String id) {
		return read(List.of(id)).stream().findFirst().orElse(null);
	}

	/** The newest orders of a user, or with a status, or both, or of all. */
	OrderPage search(@Nullable String userId, @Nullable Status status, int limit) {
		OrderIndex index = OrderIndex.of(userId, status);
		long total = this.redis.call(index::count);
		List<Order> orders = read(this.redis.call((redis) -> index.newest(redis, limit)));
		orders.removeIf((order) -> status != null && order.status() != status);
		return new OrderPage(orders, total);
	}

	/** Orders without a closing time, the oldest first. */
	UnpaidPage unpaidAfter(@Nullable String position, int limit) {
		OrderIndex index = OrderIndex.of(null, Status.UNPAID);
		List<String> places = this.redis.call((redis) -> index.oldestAfter(redis, position, limit));
		List<Order> orders = read(places.stream().map(OrderIndex::idOf).toList());
		orders.removeIf((order) -> order.status() != Status.UNPAID);
		return new UnpaidPage(orders, (places.size() < limit) ? null : places.get(limit - 1));
	}

	/**
	 * Forgets closed orders that have been kept for long enough, at most a page of them.
	 */
	int forgetClosed(Duration keep, int limit) {
		int forgotten = 0;
		for (String id : this.redis.call((redis) -> redis.opsForZSet().range(CLOSED, 0, limit - 1L))) {
			List<String> keys = List.of(key(id), OrderIndex.KEY, CLOSED);
			if (this.redis.call((redis) -> redis.execute(FORGET, keys, id, Long.toString(keep.toMillis()))) == 0) {
				break;
			}
			forgotten++;
		}
		return forgotten;
	}

	/** Requests for orders that were begun some time ago and never finished. */
	List<Abandoned> abandoned(Duration since, int limit) {
		List<Abandoned> abandoned = new ArrayList<>();
		for (String id : oldest(NEW, since, limit)) {
			List<String> fields = this.redis.call((redis) -> redis.<String, String>opsForHash()
				.multiGet(key(id), List.of("status", "userId", "payWithin")));
			if ("NEW".equals(fields.get(0))) {
				abandoned.add(new Abandoned(id, fields.get(1), Duration.ofMillis(Long.parseLong(fields.get(2)))));
			}
		}
		return abandoned;
	}

	/** Notes that an order may have a message that it does not need. */
	void noteLeftOver(String id) {
		double now = (double) now().toEpochMilli();
		this.redis.run((redis) -> redis.opsForZSet().add(LEFT_OVERS, id, now));
	}

	/** Orders that may have a message that they do not need, and did so some time ago. */
	List<String> leftOvers(Duration since, int limit) {
		return oldest(LEFT_OVERS, since, limit);
	}

	/** Whether an order needs a message. */
	boolean isOpen(String id) {
		String status = this.redis.call((redis) -> redis.<String, String>opsForHash().get(key(id), "status"));
		return "NEW".equals(status) || Status.UNPAID.name().equals(status);
	}

	void forgetLeftOver(String id) {
		this.redis.run((redis) -> redis.opsForZSet().remove(LEFT_OVERS, id));
	}

	private List<String> oldest(String key, Duration since, int limit) {
		double end = (double) now().minus(since).toEpochMilli();
		return List.copyOf(this.redis.call((redis) -> redis.opsForZSet().rangeByScore(key, 0, end, 0, limit)));
	}

	private List<Order> read(List<String> ids) {
		List<Order> orders = new ArrayList<>(ids.size());
		if (!ids.isEmpty()) {
			List<String> keys = ids.stream().map(OrderStore::key).toList();
			List<String> fields = this.redis.call((redis) -> redis.execute(READ, keys));
			for (int i = 0; i < ids.size(); i++) {
				int from = i * FIELDS;
				if (!fields.get(from).isEmpty()) {
					orders.add(order(ids.get(i), fields, from, !fields.get(from + 5).isEmpty()));
				}
			}
		}
		return orders;
	}

	private static Order order(String id, List<String> fields, int from, boolean flagged) {
		Status status = Status.valueOf(fields.get(from + 1));
		String closedAt = fields.get(from + 3);
		String closedBy = fields.get(from + 4);
		return new Order(id, fields.get(from), status, instant(fields.get(from + 2)),
				closedAt.isEmpty() ? null : instant(closedAt), closedBy.isEmpty() ? null : ClosedBy.valueOf(closedBy),
				flagged && status == Status.UNPAID);
	}

	private static Instant instant(String millis) {
		return Instant.ofEpochMilli(Long.parseLong(millis));
	}

	private static String key(String id) {
		return "sample:{orders}:order:" + id;
	}

	/**
	 * What became of an order that was to be stored.
	 *
	 * @param order the order as it is
	 * @param isTaken whether it is another request's; {@code false} if this request, or
	 * an equal one that was not answered, stored it
	 */
	record Placement(Order order, boolean isTaken) {

	}

	/**
	 * What became of an order that was to be closed.
	 *
	 * @param outcome what happened
	 * @param order the order as it is; {@code null} if it is unknown
	 */
	record Closing(Outcome outcome, @Nullable Order order) {

		/** The answers of close-order.lua. */
		enum Outcome {

			CLOSED, CLOSED_BEFORE, NOT_DUE, UNKNOWN

		}

	}

	/**
	 * A request for an order that was not finished.
	 *
	 * @param id the order's id
	 * @param userId whose order it is
	 * @param payWithin how long it may stay unpaid
	 */
	record Abandoned(String id, String userId, Duration payWithin) {

	}

	/**
	 * Some of the unpaid orders.
	 *
	 * @param orders the orders, the oldest first
	 * @param next where the next page begins; {@code null} after the last page
	 */
	record UnpaidPage(List<Order> orders, @Nullable String next) {

	}

}
