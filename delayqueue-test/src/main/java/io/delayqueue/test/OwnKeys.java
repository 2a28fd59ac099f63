package io.delayqueue.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * The keys of one application context. They go when it is closed, or paused because a
 * test needs another one, except for what the context would ask for only once: which
 * partitions a queue has. That ends by itself.
 */
final class OwnKeys implements SmartLifecycle {

	private static final Duration OF_USE = Duration.ofDays(1);

	private final RedisTemplate<String, byte[]> redis;

	private final String prefix;

	private volatile boolean running;

	OwnKeys(RedisTemplate<String, byte[]> redis, String prefix) {
		this.redis = redis;
		this.prefix = prefix;
	}

	/** Removes them, also what is said of queues as a whole. */
	void remove() {
		List<String> own = new ArrayList<>();
		for (String key : this.redis.keys(this.prefix + ":*")) {
			if (key.endsWith("}:control")) {
				this.redis.opsForHash().delete(key, "paused", "draining");
				this.redis.expire(key, OF_USE);
			}
			else if (key.equals(this.prefix + ":queues")) {
				this.redis.expire(key, OF_USE);
			}
			else {
				own.add(key);
			}
		}
		if (!own.isEmpty()) {
			this.redis.unlink(own);
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		remove();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** Between the listeners, which stop before, and the connections. */
	@Override
	public int getPhase() {
		return 1;
	}

}
