package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.test.redis.CommandLog;
import io.delayqueue.test.redis.FaultProxy;
import io.delayqueue.test.redis.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of what was counted when Redis does not answer, or not at once.
 */
class QueueStatisticsOutageIntegrationTests {

	@RegisterExtension
	final TestStock test = new TestStock();

	private final RedisServer redis = this.test.redis();

	@Test
	void whileOneThreadCountsTheOthersGetWhatWasCountedBeforeAndDoNotWait() throws Exception {
		QueueStatistics stock = this.test.stock(this.redis.uri(), Duration.ofMinutes(2));
		assertThat(stock.of("orders")).isNotNull();
		this.test.goOn(TestStock.FRESH);
		int asked = this.test.gate().asked();
		this.redis.freeze();
		ExecutorService thread = Executors.newSingleThreadExecutor();
		try {
			Future<@Nullable Stock> slow = thread.submit(() -> stock.of("orders"));
			await().until(() -> this.test.gate().asked() > asked);
			assertThat(stock.of("orders")).as("what was counted before").isNotNull();
			assertThat(slow.isDone()).isFalse();
			this.redis.resume();
			assertThat(slow.get()).isNotNull();
		}
		finally {
			thread.shutdownNow();
		}
	}

	@Test
	void whileRedisIsAwayNobodyAsksItAndWhatWasCountedIsKeptForAWhile() {
		QueueStatistics stock = this.test.stock();
		assertThat(stock.of("orders")).isNotNull();
		this.test.gate().open(false);
		try (CommandLog log = CommandLog.of(this.redis)) {
			this.test.goOn(TestStock.FRESH);
			assertThat(stock.of("orders")).as("it may be back soon").isNotNull();
			assertThat(stock.of("other")).isNull();
			this.test.goOn(TestStock.KEPT);
			assertThat(stock.of("orders")).isNull();
			assertThat(log.count()).isZero();

			this.test.gate().open(true);
			assertThat(stock.of("orders")).isNotNull();
			assertThat(stock.of("other")).isNotNull();
		}
	}

	@Test
	void aRedisThatIsGoneIsReportedAndThrowsNothing() {
		QueueStatistics stock = this.test.stock();
		assertThat(stock.of("orders")).isNotNull();
		this.redis.kill();
		this.test.goOn(TestStock.KEPT);

		assertThat(stock.of("orders")).isNull();
		assertThat(this.test.gate().lost()).hasSize(1);
		assertThat(stock.of("orders")).as("not tried again so soon").isNull();
		assertThat(this.test.gate().lost()).hasSize(1);
		this.redis.start();
		this.test.goOn(TestStock.FRESH);
		assertThat(stock.of("orders")).isNotNull();
	}

	@Test
	void aKeyOfSomebodyElseIsNotAskedForAllTheTime() {
		this.redis.call("SET", "dq:{orders:0}:scheduled", "somebody else's");
		QueueStatistics stock = this.test.stock();
		assertThat(stock.of("orders")).isNull();
		try (CommandLog log = CommandLog.of(this.redis)) {
			assertThat(stock.of("orders")).isNull();
			assertThat(log.count()).isZero();
			assertThat(stock.of("other")).isNotNull();
		}
		assertThat(this.test.gate().lost()).as("it has answered").isEmpty();
	}

	@Test
	void aScrapeDoesNotWaitForMoreThanOneAnswerThatDoesNotCome() {
		try (FaultProxy proxy = FaultProxy.to(this.redis)) {
			QueueStatistics stock = this.test.stock(proxy.uri());
			TestStock.askForAll(stock);
			proxy.blackhole();
			this.test.goOn(TestStock.FRESH);
			for (int i = 0; i < 20; i++) {
				stock.of("queue-" + i);
			}
			assertThat(this.test.gate().lost()).hasSize(1);
		}
	}

	@Test
	void aNodeThatHangsKeepsTheOtherNodesQueuesNotOut() {
		try (RedisCluster cluster = RedisCluster.builder()
			.replicas(0)
			.nodeTimeout(Duration.ofMinutes(1))
			.setting("cluster-require-full-coverage", "no")
			.start()) {
			RedisServer node = cluster.masterOf("dq:{q-0:0}:scheduled");
			List<String> there = new ArrayList<>();
			List<String> others = new ArrayList<>();
			for (int i = 0; i < 12; i++) {
				String queue = "q-" + i;
				(cluster.masterOf("dq:{" + queue + ":0}:scheduled") == node ? there : others).add(queue);
			}
			assertThat(there).hasSizeGreaterThan(1);
			assertThat(others).hasSizeGreaterThan(1);
			QueueStatistics stock = this.test.stock(cluster);
			node.freeze();
			try {
				for (int look = 0; look <= there.size(); look++) {
					this.test.goOn(TestStock.FRESH);
					there.forEach(stock::of);
					others.forEach(stock::of);
				}
				for (int look = 0; look <= there.size(); look++) {
					this.test.goOn(TestStock.KEPT);
					there.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNull());
					others.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNotNull());
				}
			}
			finally {
				node.resume();
			}
			this.test.goOn(TestStock.FRESH);
			there.forEach((queue) -> assertThat(stock.of(queue)).as(queue).isNotNull());
		}
	}

}
