package io.delayqueue.redis;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.function.Consumer;

import io.delayqueue.test.redis.SharedRedis;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The overhead of a call, and that it returns its connection.
 */
class OwnJedisConnectionsIntegrationTests {

	private JedisConnectionFactory connections;

	private DelayQueueRedisTemplate template;

	@BeforeEach
	void connect() {
		URI redis = SharedRedis.get().uri();
		this.connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(redis.getHost(), redis.getPort()));
		this.connections.afterPropertiesSet();
		this.template = new DelayQueueRedisTemplate(this.connections);
		this.template.afterPropertiesSet();
	}

	@AfterEach
	void disconnect() {
		this.template.destroy();
		this.connections.destroy();
	}

	@Tag("slow")
	@Test
	void noCallCreatesAnExceptionThatIsDropped(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("calls.jfr");
		try (Recording recording = new Recording()) {
			this.template.hasKey("none");
			recording.enable("jdk.JavaExceptionThrow");
			recording.start();
			for (int i = 0; i < 10; i++) {
				this.template.hasKey("none");
			}
			recording.stop();
			recording.dump(file);
		}
		String own = Thread.currentThread().getName();
		assertThat(RecordingFile.readAllEvents(file)).filteredOn((event) -> event.getThread().getJavaName().equals(own))
			.isEmpty();
	}

	@Test
	void theConnectionIsReturnedWhileWatchingQueueingOrPipelining() {
		for (int i = 0; i <= DriverSettings.ENOUGH_CONNECTIONS; i++) {
			leave((connection) -> connection.watch(new byte[] { 1 }));
			leave(RedisConnection::multi);
			leave(RedisConnection::openPipeline);
		}
		assertThat(this.template.hasKey("none")).isFalse();
	}

	private void leave(Consumer<RedisConnection> state) {
		RedisConnection connection = this.template.getRequiredConnectionFactory().getConnection();
		state.accept(connection);
		assertThat(connection.isClosed()).isFalse();
		connection.close();
		assertThat(connection.isClosed()).isTrue();
	}

}
