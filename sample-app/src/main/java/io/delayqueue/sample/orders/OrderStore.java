package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.redis.RetryingRedis;
import io.delayqueue.sample.redis.Scripts;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * Stores orders in Redis: a hash for each order, and one index. All keys have the same
 * hash tag, so in a cluster they are in one slot, and one script makes each change. Every
 * call of this class may be repeated, and takes the time from Redis.
 */
@Component
@Profile("!database")
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

	/**
	 * The number of values that the script {@code read-orders} returns for each order.
	 */
	private static final int FIELDS = 6;

	private final RetryingRedis redis;

	OrderStore(RetryingRedis redis) {
		this.redis = redis;
	}

	/**
	 * Stores an order unless an order with this id exists. The time to pay is rounded up
	 * to whole ms. The order is invisible to callers until it is accepted.
	 */
	Placement place(String id, String userId, Duration payWithin, String request) {
		long payWithinMillis = payWithin.plusNanos(999_999).toMillis();
		List<String> reply = this.redis.call((redis) -> redis.execute(PLACE, List.of(key(id), NEW, SEQUENCE), id,
				userId, Long.toString(payWithinMillis), request));
		return new Placement(order(id, reply, 1, false), reply.get(0).equals("TAKEN"));
	}

	/** Accepts a new order, unless another request has taken over the order. */
	boolean accept(String id, String request, boolean answered) {
		return this.redis.call((redis) -> redis.execute(ACCEPT, List.of(key(id), OrderIndex.KEY, NEW, LEFT_OVERS), id,
				request, answered ? "1" : "0")) == 1;
	}

	/** Removes a new order, unless another request has taken over the order. */
	void withdraw(String id, String request) {
		this.redis.call((redis) -> redis.execute(WITHDRAW, List.of(key(id), NEW, LEFT_OVERS), id, request));
	}

	/**
	 * Closes an order if it is UNPAID. A closing by TIMEOUT also requires that the order
	 * is due.
	 */
	Closing close(String id, Status status, ClosedBy closedBy) {
		List<String> keys = List.of(key(id), OrderIndex.KEY, NEW, CLOSED, LEFT_OVERS);
		List<String> reply = this.redis.call((redis) -> redis.execute(CLOSE, keys, id, status.name(), closedBy.name()));
		Closing.Outcome outcome = Closing.Outcome.valueOf(reply.get(0));
		return new Closing(outcome, (outcome == Closing.Outcome.UNKNOWN) ? null : order(id, reply, 1, false));
	}

	/**
	 * Marks an order whose timeout message was dead-lettered; the mark is visible only
	 * while the order is UNPAID.
	 */
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

	/**
	 * Returns the newest orders of all users or one user, with any status or one status.
	 */
	OrderPage search(@Nullable String userId, @Nullable Status status, int limit) {
		OrderIndex index = OrderIndex.of(userId, status);
		long total = this.redis.call(index::count);
		List<Order> orders = read(this.redis.call((redis) -> index.newest(redis, limit)));
		orders.removeIf((order) -> status != null && order.status() != status);
		return new OrderPage(orders, total);
	}

	/** Returns a page of the unpaid orders, the oldest first. */
	UnpaidPage unpaidAfter(@Nullable String position, int limit) {
		OrderIndex index = OrderIndex.of(null, Status.UNPAID);
		List<String> entries = this.redis.call((redis) -> index.oldestAfter(redis, position, limit));
		List<Order> orders = read(entries.stream().map(OrderIndex::idOf).toList());
		orders.removeIf((order) -> order.status() != Status.UNPAID);
		return new UnpaidPage(orders, (entries.size() < limit) ? null : entries.get(limit - 1));
	}

	/**
	 * Removes at most {@code limit} orders that have been closed for the retention time.
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

	/**
	 * Returns the unfinished requests for orders. Each of these requests began at least
	 * {@code since} ago.
	 */
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

	/** Records that an order may have a timeout message that is no longer needed. */
	void noteLeftOver(String id) {
		double now = (double) now().toEpochMilli();
		this.redis.run((redis) -> redis.opsForZSet().add(LEFT_OVERS, id, now));
	}

	/**
	 * Returns the orders that {@link #noteLeftOver} recorded at least {@code since} ago.
	 */
	List<String> leftOvers(Duration since, int limit) {
		return oldest(LEFT_OVERS, since, limit);
	}

	/** Returns whether an order is open, so that it still needs its timeout message. */
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
	 * The result of storing an order.
	 *
	 * @param order the stored order
	 * @param isTaken whether the stored order belongs to another request; {@code false}
	 * if this request, or an equal request that got no response, has stored the order
	 */
	record Placement(Order order, boolean isTaken) {

	}

	/**
	 * An unfinished request for an order.
	 *
	 * @param id the order's id
	 * @param userId the user
	 * @param payWithin the time to pay
	 */
	record Abandoned(String id, String userId, Duration payWithin) {

	}

	/**
	 * A page of unpaid orders.
	 *
	 * @param orders the orders, the oldest first
	 * @param next the index entry after which the next page begins; {@code null} on the
	 * last page
	 */
	record UnpaidPage(List<Order> orders, @Nullable String next) {

	}

}
