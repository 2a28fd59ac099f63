package io.delayqueue.example.shop;

import com.redis.testcontainers.RedisContainer;
import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A container with Redis where Docker answers and has the image; elsewhere a process
 * stands in for it.
 */
final class ShopRedis extends RedisContainer {

	private @Nullable RedisServer process;

	ShopRedis() {
		super("redis:8-alpine");
	}

	@Override
	public void start() {
		if (isRunning()) {
			return;
		}
		try {
			super.start();
		}
		catch (RuntimeException ex) {
			// no Docker, or no image
			this.process = RedisServer.builder().start();
		}
	}

	@Override
	public void stop() {
		if (this.process != null) {
			this.process.close();
			this.process = null;
		}
		super.stop();
	}

	@Override
	public boolean isRunning() {
		return this.process != null || super.isRunning();
	}

	@Override
	public String getHost() {
		return (this.process != null) ? this.process.host() : super.getHost();
	}

	@Override
	public Integer getMappedPort(int port) {
		return (this.process != null) ? Integer.valueOf(this.process.port()) : super.getMappedPort(port);
	}

}
