package io.delayqueue.sample.redis;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/** Connection details of the Redis server that the application has started. */
final class OwnRedisConnectionDetails implements DataRedisConnectionDetails {

	private final Standalone standalone;

	OwnRedisConnectionDetails(int port) {
		this.standalone = Standalone.of("127.0.0.1", port);
	}

	@Override
	public Standalone getStandalone() {
		return this.standalone;
	}

}
