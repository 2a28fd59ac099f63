package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.delayqueue.observe.QueueStatistics.Stock;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contents of queues, and how often they are counted.
 */
class QueueStatisticsIntegrationTests {

	@RegisterExtension
	final TestStock test = new TestStock();

	private final RedisServer redis = this.test.redis();

	@Test
	void contentsAreSummedOverAllPartitions() {
		this.redis.call("ZADD", "dq:{parted:0}:scheduled", "1", "a", "4000000000000", "b");
		this.redis.call("ZADD", "dq:{parted:1}:scheduled", "1000", "c");
		this.redis.call("ZADD", "dq:{parted:2}:dead", "1", "d", "1", "e");
		this.redis.call("ZADD", "dq:{parted:1}:parked", "0", "group and due and id");
		this.redis.call("XADD", "dq:{parted:0}:ready", "*", "id", "f");
		this.redis.call("XADD", "dq:{parted:2}:ready", "*", "id", "g");
		this.redis.call("XADD", "dq:{parted:2}:ready", "*", "id", "h");
		this.redis.call("XGROUP", "CREATE", "dq:{parted:2}:ready", "consumers", "0");
		this.redis.call("XREADGROUP", "GROUP", "consumers", "me", "COUNT", "1", "STREAMS", "dq:{parted:2}:ready", ">");

		Stock stock = this.test.stock().of("parted");

		assertThat(stock).isNotNull();
		assertThat(stock).isEqualTo(new Stock(3, 1, 2, 2, 1, 2, stock.overdueAge(), Duration.ZERO, Duration.ZERO,
				Duration.ZERO, 0, Duration.ZERO));
		assertThat(stock.overdueAge()).as("of the oldest message, due in 1970")
			.isGreaterThan(Duration.ofDays(365 * 50));
		this.redis.call("HSET", "dq:{parted:1}:control", "paused", "1000");
		this.redis.call("HSET", "dq:{parted:2}:control", "paused", "4000000000000", "draining", "2000");
		Stock controlled = Objects.requireNonNull(this.test.stock().of("parted"));
		assertThat(controlled.paused()).isTrue();
		assertThat(controlled.pausedFor()).as("since the first partition was paused")
			.isGreaterThan(Duration.ofDays(365 * 50));
		assertThat(controlled.drainingFor()).isBetween(controlled.pausedFor().minusSeconds(60), controlled.pausedFor());
	}

	/** The only sign of hanging handlers: due messages are moved to the stream. */
	@Test
	void readyMessagesCountTowardsOverdueAge() {
		this.redis.call("XADD", "dq:{hung:0}:ready", "1000-0", "id", "a");

		Stock stock = Objects.requireNonNull(this.test.stock().of("hung"));

		assertThat(stock.overdue()).isZero();
		assertThat(stock.overdueAge()).isGreaterThan(Duration.ofDays(365 * 50));
	}

	@Test
	void freshCountIsReusedAndStaleCountIsRenewedWithOneCallPerPartition() {
		QueueStatistics stock = this.test.stock();
		try (CommandLog log = CommandLog.of(this.redis)) {
			TestStock.requestAll(stock);
			TestStock.requestAll(stock);
			assertThat(TestStock.scripts(log)).isEqualTo(4);

			this.test.advanceClock(TestStock.FRESH.minus(Duration.ofSeconds(30)));
			TestStock.requestAll(stock);
			assertThat(TestStock.scripts(log)).isEqualTo(4);

			this.test.advanceClock(Duration.ofSeconds(30));
			assertThat(stock.of("orders")).isNotNull();
			assertThat(TestStock.scripts(log)).as("one count of all requested queues").isEqualTo(8);
			TestStock.requestAll(stock);
			assertThat(TestStock.scripts(log)).isEqualTo(8);
		}
	}

	@Test
	void queuesNoLongerRequestedAreNotCounted() {
		QueueStatistics stock = this.test.stock();
		TestStock.requestAll(stock);
		this.test.advanceClock(TestStock.FORGOTTEN);
		try (CommandLog log = CommandLog.of(this.redis)) {
			stock.of("orders");
			assertThat(TestStock.scripts(log)).isEqualTo(1);
		}
	}

	@Test
	void concurrentCallersShareOneCount() throws Exception {
		int many = 16;
		QueueStatistics stock = this.test.stock();
		ExecutorService threads = Executors.newFixedThreadPool(many);
		try (CommandLog log = CommandLog.of(this.redis)) {
			CyclicBarrier together = new CyclicBarrier(many);
			List<Callable<Boolean>> asks = new ArrayList<>();
			for (int i = 0; i < many; i++) {
				asks.add(() -> {
					together.await();
					return stock.of("parted") != null;
				});
			}
			List<Boolean> known = new ArrayList<>();
			for (Future<Boolean> ask : threads.invokeAll(asks)) {
				known.add(ask.get());
			}
			assertThat(known).contains(true);
			assertThat(TestStock.scripts(log)).isEqualTo(3);
		}
		finally {
			threads.shutdownNow();
		}
	}

}
