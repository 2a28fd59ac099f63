package io.delayqueue.sample.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

import io.delayqueue.sample.redis.RetryingRedis;
import io.delayqueue.sample.redis.Scripts;

import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * Stores the counts of reports in Redis: for each game a hash of counts, and a sorted set
 * of the ids that were counted in the last minutes, so that a redelivered report is
 * counted once.
 */
@Component
final class ReportStats {

	private static final String GAMES = "sample:reports:games";

	private static final Scripts SCRIPTS = Scripts.of(ReportStats.class);

	private static final RedisScript<Long> COUNT_TAKEN = SCRIPTS.number("count-taken");

	private static final RedisScript<Long> COUNT_MESSAGES = SCRIPTS.number("count-messages");

	private final RetryingRedis redis;

	ReportStats(RetryingRedis redis) {
		this.redis = redis;
	}

	void countTaken(String game, Receipt receipt) {
		String call = UUID.randomUUID().toString();
		this.redis.run((redis) -> {
			redis.opsForSet().add(GAMES, game);
			redis.execute(COUNT_TAKEN, keys(game), call, Integer.toString(receipt.accepted()),
					Integer.toString(receipt.dropped()));
		});
	}

	void countReported(String game, List<String> ids) {
		countMessages(game, "reported", ids);
	}

	void countExpired(String game, String id) {
		countMessages(game, "expired", List.of(id));
	}

	private void countMessages(String game, String what, List<String> ids) {
		List<String> arguments = new ArrayList<>(ids);
		arguments.add(0, what);
		this.redis.run((redis) -> {
			redis.opsForSet().add(GAMES, game);
			redis.execute(COUNT_MESSAGES, keys(game), arguments.toArray());
		});
	}

	Map<String, GameStats> read() {
		Map<String, GameStats> stats = new TreeMap<>();
		for (String game : Objects.requireNonNull(this.redis.call((redis) -> redis.opsForSet().members(GAMES)))) {
			Map<String, String> counts = this.redis
				.call((redis) -> redis.<String, String>opsForHash().entries(keys(game).get(0)));
			stats.put(game,
					new GameStats(count(counts, "accepted"), count(counts, "reported"), count(counts, "batches"),
							count(counts, "dropped"), count(counts, "expired"), count(counts, "largestBatch")));
		}
		return stats;
	}

	private static long count(Map<String, String> counts, String name) {
		return Long.parseLong(counts.getOrDefault(name, "0"));
	}

	private static List<String> keys(String game) {
		return List.of("sample:{report:" + game + "}:stats", "sample:{report:" + game + "}:counted");
	}

}
