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

	private static final String CLOSED = "sample:{orders}:closed";

	private static final String SEQUENCE = "sample:{orders}:sequence";

	private static final Scripts SCRIPTS = Scripts.of(OrderStore.class);

	private static final RedisScript<List<String>> PLACE = SCRIPTS.fields("place-order");

	private static final RedisScript<Long> CLAIM = SCRIPTS.number("claim-order");

	private static final RedisScript<List<String>> CLOSE = SCRIPTS.fields("close-order");

	private static final RedisScript<Long> WITHDRAW = SCRIPTS.number("withdraw-order");

	private static final RedisScript<Long> FORGET = SCRIPTS.number("forget-order");

	private static final RedisScript<List<String>> READ = SCRIPTS.fields("read-orders");

	private final PatientRedis redis;

	OrderStore(PatientRedis redis) {
		this.redis = redis;
	}

	/** Stores an order unless its id is known; rounds the time to pay up to whole ms. */
	Placement place(String id, String userId, Duration payWithin) {
		long payWithinMillis = payWithin.plusNanos(999_999).toMillis();
		List<String> reply = this.redis.call((redis) -> redis.execute(PLACE, List.of(key(id), OrderIndex.KEY, SEQUENCE),
				id, userId, Long.toString(payWithinMillis)));
		return new Placement(order(id, reply, 1), reply.get(0).equals("TAKEN"));
	}

	/** Claims an order for the answer to one request. */
	boolean claim(String id, String claim) {
		return this.redis.call((redis) -> redis.execute(CLAIM, List.of(key(id)), claim)) == 1;
	}

	/** Removes an order that no caller was told of. */
	void withdraw(String id) {
		this.redis.call((redis) -> redis.execute(WITHDRAW, List.of(key(id), OrderIndex.KEY)));
	}

	/** Closes an order if it is UNPAID and, for TIMEOUT, due. */
	Closing close(String id, Status status, ClosedBy closedBy) {
		List<String> reply = this.redis.call((redis) -> redis.execute(CLOSE, List.of(key(id), OrderIndex.KEY, CLOSED),
				id, status.name(), closedBy.name()));
		Closing.Outcome outcome = Closing.Outcome.valueOf(reply.get(0));
		return new Closing(outcome, (outcome == Closing.Outcome.UNKNOWN) ? null : order(id, reply, 1));
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

	private List<Order> read(List<String> ids) {
		List<Order> orders = new ArrayList<>(ids.size());
		if (!ids.isEmpty()) {
			List<String> keys = ids.stream().map(OrderStore::key).toList();
			List<String> fields = this.redis.call((redis) -> redis.execute(READ, keys));
			for (int i = 0; i < ids.size(); i++) {
				if (!fields.get(i * 5).isEmpty()) {
					orders.add(order(ids.get(i), fields, i * 5));
				}
			}
		}
		return orders;
	}

	private static Order order(String id, List<String> fields, int from) {
		String closedAt = fields.get(from + 3);
		String closedBy = fields.get(from + 4);
		return new Order(id, fields.get(from), Status.valueOf(fields.get(from + 1)), instant(fields.get(from + 2)),
				closedAt.isEmpty() ? null : instant(closedAt), closedBy.isEmpty() ? null : ClosedBy.valueOf(closedBy));
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
	 * Some of the unpaid orders.
	 *
	 * @param orders the orders, the oldest first
	 * @param next where the next page begins; {@code null} after the last page
	 */
	record UnpaidPage(List<Order> orders, @Nullable String next) {

	}

}
