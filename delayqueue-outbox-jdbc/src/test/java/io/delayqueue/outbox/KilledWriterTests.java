package io.delayqueue.outbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.delayqueue.MessageEnd;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.outbox.fixture.HandledMessages;
import io.delayqueue.outbox.fixture.OrderWriter;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.ChildProcess;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads write, roll back and cancel orders while their process is killed every 3 s and
 * Redis is away for two spells of 10 s. Another process handles the timeouts of the
 * orders. {@code -Doutbox.orders=10000} changes the number of orders. Prints what was
 * seen.
 */
@Tag("slow")
class KilledWriterTests {

	private static final int ORDERS = Integer.getInteger("outbox.orders", 3_000);

	private static final String COUNT = """
			local count = 0
			for _, key in ipairs(redis.call('KEYS', '*:messages')) do
			  count = count + redis.call('HLEN', key)
			end
			return count""";

	private static final Duration LIFE = Duration.ofSeconds(3);

	private static final int LIVES_AWAY = 3;

	@TempDir
	private Path directory;

	@Test
	void everyCommittedAndUncancelledOrderHasOneTimeout() throws InterruptedException {
		try (RedisServer redis = RedisServer.builder().start();
				FaultProxy proxy = FaultProxy.to(redis);
				OutboxApplication survivor = OrderWriter.application(TestDatabase.POSTGRESQL.create(), proxy.uri())
					.with(HandledMessages.class)
					.start()) {
			OrderWriter.createTable(survivor.jdbc());
			int kills = 0;
			while (orders(survivor) < ORDERS) {
				live(survivor, proxy, kills++);
			}
			await().atMost(Duration.ofMinutes(2)).until(() -> survivor.rows() == 0);
			long late = count(survivor, "SELECT COUNT(*) FROM orders WHERE late AND NOT cancelled");
			await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> assertThat(messages(redis)).isEqualTo(late));

			List<String> handled = survivor.bean(HandledMessages.class).ids();
			assertThat(handled).doesNotHaveDuplicates();
			long stored = 0;
			long cancelledInTime = 0;
			for (Map<String, Object> order : survivor.jdbc().queryForList("SELECT * FROM orders")) {
				String id = (String) order.get("id");
				MessageSnapshot message = survivor.delayQueue().find(OrderWriter.QUEUE, id).orElseThrow();
				MessageEnd end = message.end();
				boolean isHandled = handled.contains(id);
				if (end == null) {
					assertThat(message.state()).as(id).isEqualTo(MessageState.SCHEDULED);
					assertThat(order).containsEntry("late", true).containsEntry("cancelled", false);
					assertThat(isHandled).as(id).isFalse();
					stored++;
				}
				else if (end.how() == MessageEnd.How.CANCELLED) {
					assertThat(order).containsEntry("cancelled", true);
					assertThat(isHandled && message.attempts() == 0).as(id).isFalse();
					cancelledInTime++;
				}
				else {
					assertThat(order).containsEntry("late", false);
					assertThat(end.how()).isEqualTo(MessageEnd.How.ACKNOWLEDGED);
					assertThat(isHandled).as(id).isTrue();
				}
			}
			assertThat(stored).isEqualTo(late);
			assertThat(messages(redis)).isEqualTo(late);
			List<String> unknown = new ArrayList<>(handled);
			unknown.removeAll(survivor.jdbc().queryForList("SELECT id FROM orders", String.class));
			assertThat(unknown).isEmpty();
			System.out.printf("%d orders, %d kills: %d timeouts handled, %d cancelled in time, %d waiting%n",
					orders(survivor), kills, handled.size(), cancelledInTime, stored);
		}
	}

	/** Runs the process until it is killed; Redis is away during some of these runs. */
	private void live(OutboxApplication survivor, FaultProxy proxy, int number) throws InterruptedException {
		Path log = this.directory.resolve("log" + number);
		try (ChildProcess process = OrderWriter.start(survivor.databaseUrl(), proxy.uri(), number, log)) {
			await().until(() -> lines(log).stream().anyMatch(OrderWriter::isReady));
			boolean isAway = number == 2 || number == 2 + LIVES_AWAY;
			if (isAway) {
				proxy.refuse();
				proxy.cutAll();
			}
			new CountDownLatch(1).await((isAway ? Duration.ofSeconds(10) : LIFE).toMillis(), TimeUnit.MILLISECONDS);
			process.kill();
			proxy.pass();
		}
	}

	private static long orders(OutboxApplication application) {
		return count(application, "SELECT COUNT(*) FROM orders");
	}

	private static long count(OutboxApplication application, String sql) {
		Long count = application.jdbc().queryForObject(sql, Long.class);
		return (count != null) ? count : 0;
	}

	private static long messages(RedisServer redis) {
		return (Long) redis.call("EVAL", COUNT, "0");
	}

	private static List<String> lines(Path log) {
		try {
			return Files.exists(log) ? Files.readAllLines(log) : Collections.emptyList();
		}
		catch (IOException failure) {
			return Collections.emptyList();
		}
	}

}
