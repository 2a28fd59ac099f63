package io.delayqueue.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

/**
 * The outbox with a cluster of three masters.
 */
@Tag("slow")
class ClusterIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final int ROWS = 60;

	@Test
	void rowsGoToAllMastersAndNoCallToTheWrongOne() {
		try (RedisCluster cluster = RedisCluster.builder().replicas(0).start();
				OutboxApplication application = application(cluster).start()) {
			List<String> generated = new ArrayList<>();
			application.inTransaction(() -> {
				generated.addAll(application.outbox()
					.scheduleAll(IntStream.range(0, ROWS)
						.mapToObj((n) -> ScheduleRequest.to("orders").payload(n).delay(HOUR))
						.toList()));
				for (int n = 0; n < ROWS; n++) {
					application.outbox().schedule(order("kept-" + n));
					application.outbox().schedule(order("grouped-" + n).group("group-" + n));
					application.outbox().schedule(order("cancelled-" + n));
					application.outbox().schedule(order("moved-" + n));
				}
			});
			application.inTransaction(() -> {
				for (int n = 0; n < ROWS; n++) {
					application.outbox().cancel("orders", "cancelled-" + n);
					application.outbox().reschedule("orders", "moved-" + n, Duration.ofHours(9));
				}
			});
			await().until(() -> application.rows() == 0);

			assertThat(generated)
				.allSatisfy((id) -> assertThat(application.delayQueue().find("orders", id)).isPresent());
			Instant later = Instant.now().plus(Duration.ofHours(8));
			for (int n = 0; n < ROWS; n++) {
				assertThat(application.delayQueue().find("orders", "kept-" + n)).isPresent();
				assertThat(application.delayQueue().find("orders", "grouped-" + n)).isPresent();
				assertThat(application.delayQueue().find("orders", "cancelled-" + n)).isEmpty();
				assertThat(application.delayQueue().find("orders", "moved-" + n).orElseThrow().dueAt()).isAfter(later);
			}
			assertThat(application.bean(JdbcOutbox.class).counts().retried()).isZero();
			assertThat(application.admin().failed(0, 10)).isEmpty();
			for (RedisServer master : cluster.masters()) {
				assertThat(master.call("KEYS", "*:messages")).asInstanceOf(LIST).isNotEmpty();
				assertThat(String.valueOf(master.call("INFO", "errorstats"))).doesNotContain("MOVED")
					.doesNotContain("CROSSSLOT");
			}
		}
	}

	@Test
	void aMasterThatIsAwayDelaysNoRowOfAnother() {
		try (RedisCluster cluster = RedisCluster.builder()
			.replicas(0)
			.setting("cluster-require-full-coverage", "no")
			.start();
				OutboxApplication application = application(cluster).set("spring.data.redis.timeout", "500ms")
					.set("delayqueue.schedule.deadline", "1s")
					.set("delayqueue.outbox.claim-timeout", "1h")
					.startWithoutThreads()) {
			List<String> ids = IntStream.range(0, ROWS).mapToObj((n) -> "order-" + n).toList();
			application.delayQueue().scheduleAll(ids.stream().map(ClusterIntegrationTests::order).toList());
			RedisServer away = cluster.masters().get(2);
			int lost = stored(away);
			assertThat(lost).isBetween(5, ROWS - 5);
			application.inTransaction(() -> ids.forEach((id) -> application.outbox().cancel("orders", id)));
			away.freeze();
			JdbcOutbox outbox = application.bean(JdbcOutbox.class);
			outbox.start();
			await().until(() -> application.rows() == lost);
			assertThat(outbox.counts().relayed()).isEqualTo(ROWS - lost);
			away.resume();
			await().until(() -> application.rows() == 0);
		}
	}

	private static OutboxApplication.Builder application(RedisCluster cluster) {
		return OutboxApplication.on(TestDatabase.POSTGRESQL.create(), cluster.nodes().get(0).uri())
			.set("spring.data.redis.cluster.nodes", String.join(",", cluster.addresses()))
			.set("delayqueue.defaults.partitions", 12);
	}

	/** The number of messages that a master has. */
	private static int stored(RedisServer master) {
		List<?> keys = (List<?>) master.call("KEYS", "*:messages");
		return keys.stream().mapToInt((key) -> ((Long) master.call("HLEN", String.valueOf(key))).intValue()).sum();
	}

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("orders").id(id).payload(id).delay(HOUR);
	}

}
