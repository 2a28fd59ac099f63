package io.delayqueue.store;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;

import io.delayqueue.test.redis.SharedRedis;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a call costs beside the way to Redis and back.
 */
class OwnJedisConnectionsIntegrationTests {

	@Test
	void noCallMakesAnExceptionThatNobodySees(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("calls.jfr");
		URI redis = SharedRedis.get().uri();
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(redis.getHost(), redis.getPort()));
		connections.afterPropertiesSet();
		DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections);
		template.afterPropertiesSet();
		try (Recording recording = new Recording()) {
			template.hasKey("none");
			recording.enable("jdk.JavaExceptionThrow");
			recording.start();
			for (int i = 0; i < 10; i++) {
				template.hasKey("none");
			}
			recording.stop();
			recording.dump(file);
		}
		finally {
			template.destroy();
			connections.destroy();
		}
		String own = Thread.currentThread().getName();
		assertThat(RecordingFile.readAllEvents(file)).filteredOn((event) -> event.getThread().getJavaName().equals(own))
			.isEmpty();
	}

}
