package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether this process can do its part: DOWN while a background activity has ended
 * without being stopped, or has done nothing but fail for more than 10 s, or Redis has
 * been away for that long or was never there. Details name each such activity, with its
 * queue in its name, and the reason. What passes sooner is not told, so that health does
 * not flap while Redis fails over. Safe for use by several threads.
 */
public final class DelayQueueHealthIndicator extends AbstractHealthIndicator {

	/** How long something may fail before health tells. */
	static final Duration TOLERATED = Duration.ofSeconds(10);

	private static final String STANDSTILL = ": no queue of this process moves until it does; is it running, and is"
			+ " spring.data.redis.* its address?";

	private static final int LONGEST_REASON = 500;

	/** User and password of an address. */
	private static final Pattern CREDENTIALS = Pattern.compile("//[^/\\s]*@");

	private final LoopRegistry activities;

	private final RedisPresence redis;

	private final Duration tolerated;

	/**
	 * Creates the indicator.
	 * @param activities the background activities of this process
	 * @param gate the gate to Redis
	 * @param calls the way to Redis
	 */
	public DelayQueueHealthIndicator(LoopRegistry activities, RedisGate gate, RedisCalls calls) {
		this(activities, new RedisPresence(gate, calls::answers), TOLERATED);
	}

	DelayQueueHealthIndicator(LoopRegistry activities, RedisPresence redis, Duration tolerated) {
		this.activities = activities;
		this.redis = redis;
		this.tolerated = tolerated;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		List<LoopStatus> statuses = this.activities.statuses();
		SortedMap<String, String> failing = new TreeMap<>();
		statuses.forEach((status) -> {
			if (!status.alive()) {
				failing.put(status.name(),
						"ended without being stopped: its queue stands still in this process; restart it");
			}
			else if (isTooLong(status.failingFor())) {
				failing.put(status.name(), "failed " + status.failures() + " times in the last "
						+ status.failingFor().toSeconds() + " s and goes on trying: " + reason(status.lastFailure()));
			}
		});
		builder.up().withDetail("activities", statuses.size());
		if (!failing.isEmpty()) {
			builder.down().withDetail("failing", failing);
		}
		Duration away = this.redis.awayFor(!statuses.isEmpty());
		if (isTooLong(away)) {
			builder.down()
				.withDetail("redis", (away.equals(RedisPresence.FOR_EVER) ? "has not answered since the start"
						: "has not answered for " + away.toSeconds() + " s") + STANDSTILL);
		}
	}

	private boolean isTooLong(Duration duration) {
		return duration.compareTo(this.tolerated) > 0;
	}

	/** One short line without a stack trace. */
	private static String reason(@Nullable Throwable failure) {
		if (failure == null) {
			return "unknown";
		}
		String type = failure.getClass().getSimpleName();
		String message = failure.getMessage();
		String reason = (message == null) ? type
				: type + ": " + CREDENTIALS.matcher(message.lines().findFirst().orElse("")).replaceAll("//***@");
		return (reason.length() > LONGEST_REASON) ? reason.substring(0, LONGEST_REASON) + "..." : reason;
	}

}
