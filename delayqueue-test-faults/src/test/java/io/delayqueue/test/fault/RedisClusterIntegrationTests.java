package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@Tag("slow")
class RedisClusterIntegrationTests {

	@Test
	void threeMastersAndThreeReplicasStartAndFailOver() {
		try (RedisCluster cluster = RedisCluster.builder().appendOnly(AppendOnly.ALWAYS).start()) {
			assertThat(cluster.nodes()).hasSize(6).allMatch(RedisServer::isRunning);
			assertThat(cluster.masters()).containsExactlyElementsOf(cluster.nodes().subList(0, 3));
			everyKeyHasOneMasterAndOneReplica(cluster);
			otherNodesAnswerMoved(cluster);
			driverFollowsMoved(cluster);
			slotMovesWithItsKeys(cluster);
			replicaTakesOverOnRequest(cluster);
			replicaTakesOverWhenMasterIsKilled(cluster);
		}
	}

	private void everyKeyHasOneMasterAndOneReplica(RedisCluster cluster) {
		Set<RedisServer> owners = new HashSet<>();
		IntStream.range(0, 30).forEach((i) -> {
			owners.add(cluster.masterOf("key:" + i));
			assertThat(cluster.replicasOf("key:" + i)).hasSize(1);
		});
		assertThat(owners).containsExactlyInAnyOrderElementsOf(cluster.masters());
		assertThat(cluster.masterOf("{tag}a")).isSameAs(cluster.masterOf("{tag}b"));
		assertThat(cluster.slotOf("foo")).isEqualTo(12_182);
	}

	private void otherNodesAnswerMoved(RedisCluster cluster) {
		RedisServer owner = cluster.masterOf("foo");
		RedisServer other = cluster.masters().stream().filter((node) -> node != owner).findFirst().orElseThrow();
		assertThatExceptionOfType(RespException.class).isThrownBy(() -> other.call("SET", "foo", "bar"))
			.withMessage("MOVED 12182 127.0.0.1:" + owner.port());
		assertThat(owner.call("SET", "foo", "bar")).isEqualTo("OK");
	}

	private void driverFollowsMoved(RedisCluster cluster) {
		HostAndPort anyNode = HostAndPort.from(cluster.addresses().get(0));
		try (RedisClusterClient client = RedisClusterClient.create(Set.of(anyNode))) {
			IntStream.range(0, 100).forEach((i) -> client.set("driver:" + i, Integer.toString(i)));
			assertThat(IntStream.range(0, 100).mapToObj((i) -> client.get("driver:" + i)))
				.containsExactlyElementsOf(IntStream.range(0, 100).mapToObj(Integer::toString).toList());
		}
	}

	private void slotMovesWithItsKeys(RedisCluster cluster) {
		RedisServer from = cluster.masterOf("{tag}a");
		RedisServer to = cluster.masters().stream().filter((node) -> node != from).findFirst().orElseThrow();
		from.call("SET", "{tag}a", "a");
		from.call("SET", "{tag}b", "b");
		int slot = cluster.slotOf("{tag}a");
		assertThat(cluster.moveSlot(slot, to, Duration.ZERO)).isEqualTo(2);
		cluster.awaitHealthy(Await.LIMIT);
		assertThat(cluster.masterOf("{tag}b")).isSameAs(to);
		assertThat(to.call("GET", "{tag}b")).isEqualTo("b");
		assertThat(cluster.moveSlot(slot, to, Duration.ZERO)).isZero();
	}

	private void replicaTakesOverOnRequest(RedisCluster cluster) {
		RedisServer master = cluster.masterOf("foo");
		RedisServer replica = cluster.replicasOf("foo").get(0);
		Replication.awaitCopied(master, replica, Await.LIMIT);
		cluster.failOver(replica, Await.LIMIT);
		assertThat(cluster.masterOf("foo")).isSameAs(replica);
		cluster.awaitInSync(Await.LIMIT);
		assertThat(cluster.replicasOf("foo")).containsExactly(master);
	}

	private void replicaTakesOverWhenMasterIsKilled(RedisCluster cluster) {
		RedisServer master = cluster.masterOf("foo");
		List<RedisServer> replicas = cluster.replicasOf("foo");
		master.kill();
		cluster.awaitHealthy(Await.LIMIT);
		assertThat(cluster.masterOf("foo")).isSameAs(replicas.get(0));
		assertThat(cluster.masterOf("foo").call("GET", "foo")).isEqualTo("bar");
		master.restart();
		Replication.awaitInSync(master, Await.LIMIT);
		Await.until(Await.LIMIT, () -> "The old master did not become a replica",
				() -> cluster.replicasOf("foo").equals(List.of(master)));
	}

	@Test
	void replicaTakesOverWhenMasterFreezes() {
		try (RedisCluster cluster = RedisCluster.builder().start()) {
			RedisServer master = cluster.masterOf("foo");
			master.freeze();
			cluster.awaitHealthy(Await.LIMIT);
			assertThat(cluster.masterOf("foo")).isNotSameAs(master);
		}
	}

	@Test
	void smallestClusterHasOneMaster() {
		try (RedisCluster cluster = RedisCluster.builder().masters(1).replicas(0).start()) {
			assertThat(cluster.masters()).containsExactlyElementsOf(cluster.nodes());
			assertThat(cluster.masterOf("foo").call("SET", "foo", "bar")).isEqualTo("OK");
		}
	}

	@Test
	void invalidNumbersAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisCluster.builder().masters(0).start())
			.withMessageContaining("0");
	}

}
