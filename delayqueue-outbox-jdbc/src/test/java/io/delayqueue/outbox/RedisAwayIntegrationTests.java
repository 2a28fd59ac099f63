package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis is away, answers late, and loses replies, while threads write rows and cancel
 * others.
 */
@Tag("slow")
class RedisAwayIntegrationTests {

	private static final int WRITERS = 3;

	private static final int ROWS = 60;

	private static final String COUNT = """
			local count = 0
			for _, key in ipairs(redis.call('KEYS', '*:messages')) do
			  count = count + redis.call('HLEN', key)
			end
			return count""";

	@Test
	@DisplayName("row 78: while Redis is away transactions commit, and each row becomes one message afterwards")
	void everyCommittedAndUncancelledRowBecomesOneMessage() throws InterruptedException {
		try (RedisServer redis = RedisServer.builder().start();
				FaultProxy proxy = FaultProxy.to(redis);
				OutboxApplication application = OutboxApplication.on(TestDatabase.POSTGRESQL.create(), proxy.uri())
					.set("delayqueue.schedule.deadline", "1s")
					.set("delayqueue.outbox.claim-timeout", "3s")
					.start()) {
			Set<String> committed = ConcurrentHashMap.newKeySet();
			AtomicInteger written = new AtomicInteger();
			AtomicBoolean failed = new AtomicBoolean();
			List<Thread> writers = new ArrayList<>();
			for (int n = 0; n < WRITERS; n++) {
				int writer = n;
				writers.add(new Thread(() -> write(application, writer, committed, written)));
			}
			writers.forEach((thread) -> thread.setUncaughtExceptionHandler((of, failure) -> failed.set(true)));
			writers.forEach(Thread::start);
			await().until(() -> written.get() > ROWS);
			proxy.refuse();
			proxy.cutAll();
			await().until(() -> written.get() > 2 * ROWS);
			proxy.pass();
			proxy.cutNextReply();
			for (Thread thread : writers) {
				thread.join();
			}
			await().until(() -> application.rows() == 0);
			assertThat(failed).isFalse();
			assertThat(committed)
				.allSatisfy((id) -> assertThat(application.delayQueue().find("orders", id)).isPresent());
			assertThat(redis.call("EVAL", COUNT, "0")).isEqualTo((long) committed.size());
		}
	}

	private static void write(OutboxApplication application, int writer, Set<String> committed, AtomicInteger written) {
		for (int n = 0; n < ROWS; n++) {
			String id = writer + "-" + n;
			boolean isRolledBack = n % 5 == 0;
			boolean isCancelled = n % 7 == 0;
			application.transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> {
				application.outbox()
					.schedule(ScheduleRequest.to("orders").id(id).payload(id).delay(Duration.ofHours(1)));
				application.transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((nested) -> {
					application.outbox()
						.schedule(
								ScheduleRequest.to("orders").id("nested" + id).payload(id).delay(Duration.ofHours(1)));
					nested.setRollbackOnly();
				});
				if (isRolledBack) {
					status.setRollbackOnly();
				}
			});
			if (isCancelled) {
				application.inTransaction(() -> application.outbox().cancel("orders", id));
			}
			if (!isRolledBack && !isCancelled) {
				committed.add(id);
			}
			written.incrementAndGet();
		}
	}

}
