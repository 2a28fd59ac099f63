package io.delayqueue.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * The keys of one application context. The keys are removed when the context is closed,
 * or paused because a test needs another context. The partition counts of queues are kept
 * until they expire, because the context reads them only once.
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

	/** Removes the keys, including those of whole queues. */
	void remove() {
		List<String> own = new ArrayList<>();
		for (String key : this.redis.keys(this.prefix + ":*")) {
			if (key.endsWith("}:control")) {
				this.redis.opsForHash().delete(key, "paused", "draining", "holds", "throttled");
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

	/** Removes the keys after the listeners stop and before the connections stop. */
	@Override
	public int getPhase() {
		return 1;
	}

}
