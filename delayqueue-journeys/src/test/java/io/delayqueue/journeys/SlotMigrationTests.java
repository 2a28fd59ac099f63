package io.delayqueue.journeys;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journeys.Shop.Received;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisBinary;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Slots of a cluster that move as a whole ({@code CLUSTER MIGRATION}) under load.
 */
@Tag("slow")
class SlotMigrationTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	@ParameterizedTest(allowZeroInvocations = true)
	@MethodSource("io.delayqueue.journeys.UnpackedServers#thatMigrateSlots")
	void messagesAreDeliveredOnceWhileTheSlotsOfEachMasterMove(RedisBinary server) {
		try (RedisCluster cluster = RedisCluster.builder()
			.masters(3)
			.replicas(0)
			.binary(server)
			.setting("cluster-allow-replica-migration", "no")
			.start();
				StartedShop shop = StartedShop.on(cluster)
					.with("spring.data.redis.client-type", "jedis")
					.with("delayqueue.queues.orders.partitions", 12)
					.start()) {
			DelayQueueOperations queue = shop.bean(DelayQueueOperations.class);
			List<RedisServer> masters = cluster.masters();
			int scheduled = 0;
			for (RedisServer from : masters) {
				RedisServer to = masters.get((masters.indexOf(from) + 1) % masters.size());
				schedule(queue, scheduled, scheduled += 300);
				cluster.moveSlots(from, to, LIMIT);
				schedule(queue, scheduled, scheduled += 100);
			}

			int all = scheduled;
			await().until(() -> received(shop).size() >= all);
			assertThat(received(shop)).extracting(Received::id).hasSize(all).doesNotHaveDuplicates();
		}
	}

	/** Schedules messages that are due while the slots move. */
	private static void schedule(DelayQueueOperations queue, int from, int to) {
		queue.scheduleAll(IntStream.range(from, to)
			.mapToObj((i) -> ScheduleRequest.to("orders")
				.payload("p")
				.id("o-" + i)
				.delay(Duration.ofMillis(5L * (i - from))))
			.toList());
	}

	private static List<Received> received(StartedShop shop) {
		return shop.bean(Shop.Listeners.class).received.stream()
			.filter((message) -> message.queue().equals("orders"))
			.toList();
	}

}
