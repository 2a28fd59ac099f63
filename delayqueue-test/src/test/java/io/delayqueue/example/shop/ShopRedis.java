package io.delayqueue.example.shop;

import com.redis.testcontainers.RedisContainer;
import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * A container for Spring Boot that is a local process, so that the tests of service
 * connections need no Docker.
 */
final class ShopRedis extends RedisContainer {

	private @Nullable RedisServer process;

	ShopRedis() {
		super("redis:8-alpine");
	}

	@Override
	public void start() {
		if (this.process == null) {
			this.process = RedisServer.builder().start();
		}
	}

	@Override
	public void stop() {
		if (this.process != null) {
			this.process.close();
			this.process = null;
		}
	}

	@Override
	public boolean isRunning() {
		return this.process != null;
	}

	@Override
	public String getHost() {
		return server().host();
	}

	@Override
	public Integer getMappedPort(int port) {
		return server().port();
	}

	private RedisServer server() {
		if (this.process == null) {
			throw new IllegalStateException("The server has not been started");
		}
		return this.process;
	}

}
