package io.delayqueue.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Removes the keys of one application context when the context is closed, or is paused
 * because a test needs another context. The partition counts of queues are kept for a
 * day, because the application context reads them only once.
 */
final class OwnKeys implements SmartLifecycle, AopInfrastructureBean {

	private static final Duration OF_USE = Duration.ofDays(1);

	private final RedisTemplate<String, byte[]> redis;

	private final String prefix;

	private volatile boolean running;

	OwnKeys(RedisTemplate<String, byte[]> redis, String prefix) {
		this.redis = redis;
		this.prefix = prefix;
	}

	/**
	 * Removes the keys of the application context. The list of queues and the keys
	 * {@code control} contain partition counts: they expire after a day instead. This
	 * method removes pauses, drains and holds from {@code control}.
	 */
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

	/**
	 * Returns the lifecycle phase in which the keys are removed: after the listeners have
	 * stopped and before the connections to Redis stop.
	 */
	@Override
	public int getPhase() {
		return 1;
	}

}
