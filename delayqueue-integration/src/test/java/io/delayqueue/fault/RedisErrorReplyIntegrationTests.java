package io.delayqueue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.OwnRedis;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A Redis that loads its data, is busy with a script, or is full. */
@Tag("slow")
class RedisErrorReplyIntegrationTests {

	@RegisterExtension
	final OwnRedis own = new OwnRedis("delayqueue.defaults.visibility-timeout=3s");

	private final RedisServer redis = this.own.redis();

	private final FaultHarness harness = this.own.harness();

	@Test
	@DisplayName("row 27: while Redis loads its data nothing is lost, and work continues after it")
	void nothingIsLostWhileRedisLoadsItsData(@TempDir Path directory) {
		try (RedisServer redis = RedisServer.builder()
			.directory(directory)
			.appendOnly(AppendOnly.ALWAYS)
			.setting("enable-protected-configs", "yes")
			.setting("loading-process-events-interval-bytes", 1024)
			.start(); FaultHarness harness = new FaultHarness(redis.uri()).startWarm()) {
			for (int i = 0; i < 3000; i++) {
				redis.call("SET", "key" + i, "x".repeat(100));
			}
			redis.call("BGREWRITEAOF");
			Awaitility.await()
				.atMost(FaultHarness.LONG_ENOUGH)
				.until(() -> redis.client()
					.text("INFO", "persistence")
					.contains("aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"));
			harness.scheduleAll("m", 50, Duration.ofMillis(500));
			redis.call("CONFIG", "SET", "key-load-delay", "500");
			redis.call("CONFIG", "REWRITE");

			redis.kill();
			CompletableFuture<RedisServer> started = CompletableFuture.supplyAsync(redis::start);
			Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> answersWith(redis, "LOADING"));

			// The call itself repeats until Redis has loaded
			harness.schedule("during", Duration.ZERO);

			started.join();
			harness.schedule("after", Duration.ZERO);
			assertThat(harness.ledger().accepted()).contains("during", "after").hasSize(52);
			harness.assertAllIsWell(redis);
			assertThat(harness.ledger().doubled()).isZero();
		}
	}

	@Test
	@DisplayName("row 27: while Redis is busy with another client's script calls are repeated, and work continues after it")
	void callsAreRepeatedWhileRedisIsBusy() {
		this.harness.startWarm();
		this.harness.scheduleAll("m", 50, Duration.ofMillis(300));
		this.redis.call("CONFIG", "SET", "busy-reply-threshold", "50");
		try (RespClient other = this.redis.client()) {
			CompletableFuture<Void> endless = CompletableFuture
				.runAsync(() -> other.call("EVAL", "while true do end", "0"));
			Awaitility.await().until(() -> answersWith(this.redis, "BUSY"));
			CompletableFuture<Void> call = CompletableFuture
				.runAsync(() -> this.harness.schedule("during", Duration.ZERO));

			Awaitility.await().pollDelay(Duration.ofSeconds(1)).until(() -> answersWith(this.redis, "BUSY"));
			this.redis.call("SCRIPT", "KILL");

			assertThat(endless).failsWithin(Duration.ofMinutes(2));
			call.join();
		}
		assertThat(this.harness.ledger().accepted()).contains("during").hasSize(51);
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	private static boolean answersWith(RedisServer redis, String code) {
		try (RespClient client = redis.client()) {
			client.call("GET", "any");
			return false;
		}
		catch (RespException error) {
			return error.code().equals(code);
		}
		catch (RuntimeException unavailable) {
			return false;
		}
	}

	@Test
	@DisplayName("row 28: a full Redis rejects new messages and delivers stored ones, including retries")
	void fullRedisRejectsNewMessagesAndDeliversStoredOnes() {
		this.harness.with("delayqueue.schedule.deadline=500ms").startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1) {
				throw new IllegalStateException("again");
			}
		};
		this.harness.scheduleAll("m", 50, Duration.ofMillis(500));
		this.redis.call("CONFIG", "SET", "maxmemory", "1");

		this.harness.schedule("full", Duration.ZERO);

		assertThat(this.harness.ledger().refused().get("full")).isInstanceOf(DelayQueueUnavailableException.class)
			.hasMessageContaining("OOM")
			.hasMessageContaining("nothing is stored");
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).hasSize(2 * 50 + 1);
		this.redis.call("CONFIG", "SET", "maxmemory", "0");
		this.harness.schedule("fits", Duration.ZERO);
		this.harness.ledger().awaitAccepted();
	}

	@Test
	@DisplayName("row 28: a worker that starts while Redis is full delivers the stored messages")
	void workerThatStartsWhileRedisIsFullDeliversStoredMessages() {
		String id = this.harness.application().producer().schedule(Worker.QUEUE, "p", Duration.ZERO).id();
		this.redis.call("CONFIG", "SET", "maxmemory", "1");

		this.harness.start();

		this.harness.awaitGone(Worker.QUEUE, id);
		assertThat(this.harness.ledger().runs()).hasSize(1);
		this.redis.call("CONFIG", "SET", "maxmemory", "0");
	}

}
