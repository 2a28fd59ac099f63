package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.Breakpoint;
import io.delayqueue.outbox.fixture.ObservedDataSource;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.PostgresServer;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * PostgreSQL is frozen while threads write rows and another process relays them.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FrozenDatabaseIntegrationTests {

	private static final int WRITERS = 3;

	private static final Duration FREEZE = Duration.ofSeconds(2);

	private static final String COUNT = """
			local count = 0
			for _, key in ipairs(redis.call('KEYS', '*:messages')) do
			  count = count + redis.call('HLEN', key)
			end
			return count""";

	private PostgresServer server;

	@BeforeAll
	void startServer() {
		this.server = PostgresServer.start();
	}

	@AfterAll
	void stopServer() {
		this.server.close();
	}

	/** With 1 s the driver gives up during the freeze, with 0 it waits. */
	@ParameterizedTest
	@DisplayName("row 80: while the database is frozen callers wait, and afterwards the relay continues and loses no row")
	@ValueSource(ints = { 0, 1 })
	void theRelayContinuesByItselfAndNothingIsLost(int socketTimeoutSeconds) throws InterruptedException {
		try (RedisServer redis = RedisServer.builder().start()) {
			String database = this.server.createDatabase();
			String relaying = database + "&socketTimeout=" + socketTimeoutSeconds;
			try (OutboxApplication writing = application(database, redis).startWithoutThreads();
					OutboxApplication relay = application(relaying, redis).with(ObservedDataSource.class).start()) {
				Set<String> committed = ConcurrentHashMap.newKeySet();
				AtomicBoolean failed = new AtomicBoolean();
				AtomicBoolean ended = new AtomicBoolean();
				List<Thread> writers = new ArrayList<>();
				for (int n = 0; n < WRITERS; n++) {
					String prefix = n + "-";
					Thread writer = new Thread(() -> write(writing, prefix, committed, ended));
					writer.setUncaughtExceptionHandler((of, failure) -> failed.set(true));
					writers.add(writer);
				}
				writers.forEach(Thread::start);
				JdbcOutbox outbox = relay.bean(JdbcOutbox.class);
				await().until(() -> outbox.counts().relayed() > 50);
				CompletableFuture<PostgresServer.Frozen> freezing = new CompletableFuture<>();
				// The relay has rows, and cannot write what became of them
				relay.bean(ObservedDataSource.class).observe(Breakpoint.CLAIMED.observer(() -> {
					if (!freezing.isDone()) {
						freezing.complete(this.server.freeze());
					}
				}));
				PostgresServer.Frozen frozen = freezing.join();
				int before = committed.size();
				await().pollDelay(FREEZE.toNanos(), TimeUnit.NANOSECONDS).until(() -> true);
				assertThat(committed.size()).isLessThanOrEqualTo(before + WRITERS);
				frozen.resume();
				await().until(() -> committed.size() > before + 50);
				ended.set(true);
				for (Thread writer : writers) {
					writer.join();
				}
				await().until(() -> writing.rows() == 0);
				assertThat(failed).isFalse();
				assertThat(committed)
					.allSatisfy((id) -> assertThat(writing.delayQueue().find("orders", id)).isPresent());
				assertThat(redis.call("EVAL", COUNT, "0")).isEqualTo((long) committed.size());
			}
		}
	}

	private static OutboxApplication.Builder application(String database, RedisServer redis) {
		return OutboxApplication.on(database, redis.uri())
			.set("delayqueue.key-prefix", "frozen")
			.set("delayqueue.outbox.batch-size", "10")
			.set("delayqueue.outbox.claim-timeout", "3s");
	}

	private static void write(OutboxApplication application, String prefix, Set<String> committed,
			AtomicBoolean ended) {
		for (int n = 0; !ended.get(); n++) {
			String id = prefix + n;
			application.inTransaction(() -> application.outbox()
				.schedule(ScheduleRequest.to("orders").id(id).payload(id).delay(Duration.ofHours(1))));
			committed.add(id);
		}
	}

}
