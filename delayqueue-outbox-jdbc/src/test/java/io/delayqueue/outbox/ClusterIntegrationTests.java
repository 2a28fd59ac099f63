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
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

/**
 * The outbox with a cluster of three masters.
 */
class ClusterIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private static final int ROWS = 60;

	@Test
	void rowsGoToAllMastersAndNoCallToTheWrongOne() {
		try (RedisCluster cluster = RedisCluster.builder().replicas(0).start();
				OutboxApplication application = OutboxApplication
					.on(TestDatabase.POSTGRESQL.create(), cluster.nodes().get(0).uri())
					.set("spring.data.redis.cluster.nodes", String.join(",", cluster.addresses()))
					.set("delayqueue.defaults.partitions", 12)
					.start()) {
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

	private static ScheduleRequest order(String id) {
		return ScheduleRequest.to("orders").id(id).payload(id).delay(HOUR);
	}

}
