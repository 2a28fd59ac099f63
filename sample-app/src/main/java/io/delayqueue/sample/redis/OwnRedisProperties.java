package io.delayqueue.sample.redis;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Properties of the Redis server that the application starts.
 *
 * @param dir the directory of the server's data, created if it is missing
 */
@ConfigurationProperties("sample.redis")
record OwnRedisProperties(@Nullable String dir) {

	Path directory() {
		return (this.dir != null) ? Path.of(this.dir) : Path.of(System.getProperty("user.home"), ".delayqueue-sample");
	}

}
