package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.Set;

import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisSentinelClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

@Tag("slow")
class RedisSentinelIntegrationTests {

	@Test
	void sentinelReportsMasterAndReplacesItWhenKilled() {
		// A busy machine must not start a second failover
		try (RedisSentinel redis = RedisSentinel.builder()
			.appendOnly(AppendOnly.ALWAYS)
			.downAfter(Duration.ofSeconds(3))
			.start()) {
			RedisServer master = redis.master();
			assertThat(master).isSameAs(redis.servers().get(0));
			try (RedisSentinelClient client = RedisSentinelClient.builder()
				.masterName(RedisSentinel.MASTER_NAME)
				.sentinels(Set.of(HostAndPort.from(redis.addresses().get(0))))
				.build()) {
				assertThat(client.set("key", "value")).isEqualTo("OK");
			}
			// WAIT would wait for writes of its own connection only
			await().until(() -> "value".equals(redis.servers().get(1).call("GET", "key")));
			master.kill();
			RedisServer promoted = redis.awaitFailover(Await.LIMIT);
			assertThat(promoted).isSameAs(redis.servers().get(1));
			assertThat(promoted.call("GET", "key")).isEqualTo("value");
			master.restart();
			redis.awaitHealthy(Await.LIMIT);
			assertThat(redis.failOver(Await.LIMIT)).isSameAs(master);
			assertThat(master.call("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void threeSentinelsAgreeThatFrozenMasterIsDown() {
		try (RedisSentinel redis = RedisSentinel.builder().sentinels(3).start()) {
			assertThat(redis.sentinels()).hasSize(3);
			RedisServer master = redis.master();
			master.freeze();
			redis.sentinels().get(0).kill();
			assertThat(redis.awaitFailover(Await.LIMIT)).isNotSameAs(master);
		}
	}

	@Test
	void invalidNumbersAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisSentinel.builder().replicas(0).start());
	}

}
