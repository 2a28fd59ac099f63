package io.delayqueue.sample.orders;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.sample.orders.Order.Status;
import org.jspecify.annotations.Nullable;

import org.springframework.data.domain.Range;
import org.springframework.data.domain.Range.Bound;
import org.springframework.data.redis.connection.Limit;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A part of the sorted set that indexes all orders. The sorted set contains each order in
 * four parts: all orders, the orders with the same status, the orders of the same user,
 * and the orders of this user with this status. All entries of the sorted set have the
 * score 0. An entry consists of the part, the sequence number as 16 digits, and the id,
 * so Redis sorts the entries of a part by creation, and counts them in O(log n).
 */
final class OrderIndex {

	static final String KEY = "sample:{orders}:index";

	private final String part;

	private OrderIndex(String part) {
		this.part = part;
	}

	static OrderIndex of(@Nullable String userId, @Nullable Status status) {
		if (userId == null) {
			return new OrderIndex((status != null) ? "status " + status : "all");
		}
		return new OrderIndex((status != null) ? "user-status " + userId + " " + status : "user " + userId);
	}

	static String idOf(String entry) {
		return entry.substring(entry.lastIndexOf(' ') + 1);
	}

	long count(StringRedisTemplate redis) {
		return Objects.requireNonNull(redis.opsForZSet().lexCount(KEY, from(null)));
	}

	/** Returns the ids of the newest orders in this part, the newest first. */
	List<String> newest(StringRedisTemplate redis, int limit) {
		Set<String> entries = redis.opsForZSet().reverseRangeByLex(KEY, from(null), Limit.limit().count(limit));
		return Objects.requireNonNull(entries).stream().map(OrderIndex::idOf).toList();
	}

	/**
	 * Returns the oldest entries of this part after the given entry, or the oldest of all
	 * its entries if {@code entry} is {@code null}.
	 */
	List<String> oldestAfter(StringRedisTemplate redis, @Nullable String entry, int limit) {
		return List.copyOf(
				Objects.requireNonNull(redis.opsForZSet().rangeByLex(KEY, from(entry), Limit.limit().count(limit))));
	}

	/**
	 * Returns the range of the entries of this part. The range ends before the
	 * exclamation mark, the character after the space, so it contains no entry of another
	 * part.
	 */
	private Range<String> from(@Nullable String entry) {
		Bound<String> lower = (entry != null) ? Bound.exclusive(entry) : Bound.inclusive(this.part + " ");
		return Range.of(lower, Bound.exclusive(this.part + "!"));
	}

}
