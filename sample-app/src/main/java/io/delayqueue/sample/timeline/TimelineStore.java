package io.delayqueue.sample.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.SortableId;
import io.delayqueue.sample.redis.RetryingRedis;
import org.jspecify.annotations.Nullable;

import org.springframework.data.domain.Range;
import org.springframework.data.domain.Range.Bound;
import org.springframework.data.redis.connection.Limit;
import org.springframework.stereotype.Component;

/**
 * Stores timelines in Redis: two sorted sets of sortable ids for each user. All scores of
 * the first set are 0, so Redis sorts the ids as texts. The scores of the second set are
 * the times of delivery: responses contain these times, and the store removes an entry 15
 * days after its delivery. The time of an entry is added before its id and removed after
 * it, so every id in the first set has a time.
 */
@Component
final class TimelineStore {

	private static final Duration KEEP = Duration.ofDays(15);

	private static final int FORGOTTEN_AT_ONCE = 1000;

	private final RetryingRedis redis;

	TimelineStore(RetryingRedis redis) {
		this.redis = redis;
	}

	void add(String user, long msgId) {
		String id = SortableId.of(msgId);
		Instant now = forgetOld(user);
		this.redis.run((redis) -> {
			redis.opsForZSet().addIfAbsent(times(user), id, (double) now.toEpochMilli());
			redis.opsForZSet().add(ids(user), id, 0);
			redis.expire(ids(user), KEEP);
			redis.expire(times(user), KEEP);
		});
	}

	List<TimelineEntry> page(String user, @Nullable Long after, int limit) {
		forgetOld(user);
		Bound<String> lower = (after != null) ? Bound.exclusive(SortableId.of(after)) : Bound.unbounded();
		List<String> page = List.copyOf(Objects.requireNonNull(this.redis.call((redis) -> redis.opsForZSet()
			.rangeByLex(ids(user), Range.of(lower, Bound.unbounded()), Limit.limit().count(limit)))));
		return page.isEmpty() ? List.of() : entries(user, page);
	}

	@Nullable TimelineEntry find(String user, long msgId) {
		forgetOld(user);
		return entries(user, List.of(SortableId.of(msgId))).stream().findFirst().orElse(null);
	}

	private List<TimelineEntry> entries(String user, List<String> ids) {
		List<@Nullable Double> times = Objects
			.requireNonNull(this.redis.call((redis) -> redis.opsForZSet().score(times(user), ids.toArray())));
		List<TimelineEntry> entries = new ArrayList<>(ids.size());
		for (int i = 0; i < ids.size(); i++) {
			Double time = times.get(i);
			if (time != null) {
				entries.add(new TimelineEntry(SortableId.toLong(ids.get(i)), Instant.ofEpochMilli(time.longValue())));
			}
		}
		return entries;
	}

	/**
	 * Removes the entries of a user that are older than 15 days, and returns the time of
	 * Redis.
	 */
	private Instant forgetOld(String user) {
		Instant now = this.redis.now(times(user));
		double end = (double) now.minus(KEEP).toEpochMilli();
		Set<String> old;
		do {
			old = Objects.requireNonNull(this.redis.call((redis) -> redis.opsForZSet()
				.rangeByScore(times(user), Double.NEGATIVE_INFINITY, end, 0, FORGOTTEN_AT_ONCE)));
			if (!old.isEmpty()) {
				Object[] ids = old.toArray();
				this.redis.run((redis) -> {
					redis.opsForZSet().remove(ids(user), ids);
					redis.opsForZSet().remove(times(user), ids);
				});
			}
		}
		while (old.size() == FORGOTTEN_AT_ONCE);
		return now;
	}

	private static String ids(String user) {
		return "sample:{timeline:" + user + "}:ids";
	}

	private static String times(String user) {
		return "sample:{timeline:" + user + "}:times";
	}

}
