package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Queue statistics while Redis does not answer, or answers late.
 */
@Tag("slow")
class QueueStatisticsOutageIntegrationTests {

	@RegisterExtension
	final TestStock test = new TestStock();

	private final RedisServer redis = this.test.redis();

	@Test
	void concurrentCallersGetThePreviousCountWithoutWaiting() throws Exception {
		QueueStatistics stock = this.test.stock(this.redis.uri(), Duration.ofMinutes(2));
		assertThat(stock.of("orders")).isNotNull();
		this.test.advanceClock(TestStock.FRESH);
		int asked = this.test.gate().asked();
		this.redis.freeze();
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try {
			Future<@Nullable Stock> slow = thread.submit(() -> stock.of("orders"));
			await().until(() -> this.test.gate().asked() > asked);
			assertThat(stock.of("orders")).as("previous count").isNotNull();
			assertThat(slow.isDone()).isFalse();
			this.redis.resume();
			assertThat(slow.get()).isNotNull();
		}
		finally {
			thread.shutdownNow();
		}
	}

	@Test
	void duringAnOutageThePreviousCountIsKeptAndRedisIsNotCalled() {
		QueueStatistics stock = this.test.stock();
		assertThat(stock.of("orders")).isNotNull();
		this.test.gate().open(false);
		try (CommandLog log = CommandLog.of(this.redis)) {
			this.test.advanceClock(TestStock.FRESH);
			assertThat(stock.of("orders")).as("count kept during a short outage").isNotNull();
			assertThat(stock.of("other")).isNull();
			this.test.advanceClock(TestStock.KEPT);
			assertThat(stock.of("orders")).isNull();
			assertThat(log.count()).isZero();

			this.test.gate().open(true);
			assertThat(stock.of("orders")).isNotNull();
			assertThat(stock.of("other")).isNotNull();
		}
	}

	@Test
	void lostRedisIsReportedWithoutException() {
		QueueStatistics stock = this.test.stock();
		assertThat(stock.of("orders")).isNotNull();
		this.redis.kill();
		this.test.advanceClock(TestStock.KEPT);

		assertThat(stock.of("orders")).isNull();
		assertThat(this.test.gate().lost()).hasSize(1);
		assertThat(stock.of("orders")).as("not retried yet").isNull();
		assertThat(this.test.gate().lost()).hasSize(1);
		this.redis.start();
		this.test.advanceClock(TestStock.FRESH);
		assertThat(stock.of("orders")).isNotNull();
	}

	@Test
	void failedCountOfForeignKeyIsNotRetriedContinuously() {
		this.redis.call("SET", "dq:{orders:0}:scheduled", "foreign value");
		QueueStatistics stock = this.test.stock();
		assertThat(stock.of("orders")).isNull();
		try (CommandLog log = CommandLog.of(this.redis)) {
			assertThat(stock.of("orders")).isNull();
			assertThat(log.count()).isZero();
			assertThat(stock.of("other")).isNotNull();
		}
		assertThat(this.test.gate().lost()).as("Redis answered").isEmpty();
	}

	@Test
	void scrapeWaitsForAtMostOneCommandTimeout() {
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			QueueStatistics stock = this.test.stock(proxy.uri());
			TestStock.requestAll(stock);
			proxy.blackhole();
			this.test.advanceClock(TestStock.FRESH);
			for (int i = 0; i < 20; i++) {
				stock.of("queue-" + i);
			}
			assertThat(this.test.gate().lost()).hasSize(1);
		}
	}

	@Test
	void hangingNodeDoesNotHideTheQueuesOfOtherNodes() {
		try (RedisCluster cluster = RedisCluster.builder()
			.replicas(0)
			.nodeTimeout(Duration.ofMinutes(1))
			.setting("cluster-require-full-coverage", "no")
			.start()) {
			RedisServer node = cluster.masterOf("dq:{q-0:0}:scheduled");
			List<String> onNode = new ArrayList<>();
			List<String> elsewhere = new ArrayList<>();
			for (int i = 0; i < 12; i++) {
				String queue = "q-" + i;
				(cluster.masterOf("dq:{" + queue + ":0}:scheduled") == node ? onNode : elsewhere).add(queue);
			}
			assertThat(onNode).hasSizeGreaterThan(1);
			assertThat(elsewhere).hasSizeGreaterThan(1);
			QueueStatistics stock = this.test.stock(cluster);
			node.freeze();
			try {
				for (int round = 0; round <= onNode.size(); round++) {
					this.test.advanceClock(TestStock.FRESH);
					onNode.forEach(stock::of);
					elsewhere.forEach(stock::of);
				}
				for (int round = 0; round <= onNode.size(); round++) {
					this.test.advanceClock(TestStock.KEPT);
					onNode.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNull());
					elsewhere.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNotNull());
				}
			}
			finally {
				node.resume();
			}
			this.test.advanceClock(TestStock.FRESH);
			onNode.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNotNull());
		}
	}

}
