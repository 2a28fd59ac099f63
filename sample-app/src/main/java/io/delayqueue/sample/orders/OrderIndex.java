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
 * A part of the sorted set that contains every order four times: among all orders, the
 * orders of its status, of its user, and of its status and user. All scores are 0. An
 * entry has the form {@code <part> <sequence, 16 digits> <id>}, so the order of the bytes
 * is the order of creation, and counting a part costs O(log n).
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

	/** The ids of the newest orders, the newest first. */
	List<String> newest(StringRedisTemplate redis, int limit) {
		Set<String> entries = redis.opsForZSet().reverseRangeByLex(KEY, from(null), Limit.limit().count(limit));
		return Objects.requireNonNull(entries).stream().map(OrderIndex::idOf).toList();
	}

	/** The oldest entries after the given one, or from the first one on. */
	List<String> oldestAfter(StringRedisTemplate redis, @Nullable String entry, int limit) {
		return List.copyOf(
				Objects.requireNonNull(redis.opsForZSet().rangeByLex(KEY, from(entry), Limit.limit().count(limit))));
	}

	/**
	 * The byte after a space is the exclamation mark, so no other part is in the range.
	 */
	private Range<String> from(@Nullable String entry) {
		Bound<String> lower = (entry != null) ? Bound.exclusive(entry) : Bound.inclusive(this.part + " ");
		return Range.of(lower, Bound.exclusive(this.part + "!"));
	}

}
