package io.delayqueue.sample.documents;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.sample.documents.Bash.Outcome;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

/**
 * Runs every command of docs/operations.md unchanged, in the order of the document,
 * against one sample in the state that the command is written for.
 */
@Tag("slow")
@TestMethodOrder(OrderAnnotation.class)
class OperationsCommandsIntegrationTests extends OperatedSample {

	private static final String REPORTS = "/actuator/delayqueue/report";

	private static final String HEALTH = "/actuator/health/delayqueue";

	@Test
	@Order(1)
	void allCanBeSeen() {
		assertThat(terminal.run(shell("Operations", 1))).contains("\"name\":\"order-timeout\"", "\"partitions\":[",
				"\"status\":\"UP\"", "delayqueue_messages{");
	}

	@Test
	@Order(2)
	void late() {
		assertThat(terminal.run(shell("Late", 0))).contains("\"overdue\":", "\"inFlight\":", "delayqueue_overdue",
				"delayqueue_lateness", "delayqueue_in_flight", "delayqueue_handled_seconds_max");

		assertThat(terminal.run(shell("Late", 1))).contains("\"result\":\"RESCHEDULED\"");

		// The handler gets the message now and defers it, because the order is not due
		await().until(() -> message(ORDERS, "o-1").path("defers").asInt() == 1);
	}

	@Test
	@Order(3)
	void stuck() {
		assertThat(terminal.run(shell("Stuck", 0))).contains("\"running\":true", "\"state\":\"PENDING\"",
				"\"delayqueue-order-timeout-1\"", "java.lang.Thread.State");
	}

	@Test
	@Order(4)
	void unconsumedQueue() {
		try (ConfigurableApplicationContext producer = producer()) {
			producer.getBean(DelayQueueOperations.class).schedule("order-timeuot", "lost", Duration.ofHours(1));
		}
		assertThat(terminal.run(shell("No consumer", 0))).contains("\"name\":\"order-timeuot\"", "\"consumers\":0",
				"\"silentMillis\":");

		assertThat(terminal.run(shell("No consumer", 1).with("THE-NAME", "order-timeuot"))).contains("\"waiting\":1");
	}

	@Test
	@Order(5)
	void growingDeadLetters() {
		deadCallback();
		assertThat(terminal.run(shell("Growing dead letters", 0))).contains("\"id\":\"c1\"", "HANDLER_FAILED",
				"PartnerNotNotifiedException");

		Commands act = shell("Growing dead letters", 1);
		assertThat(terminal.run(act.command(0))).contains("\"result\":\"REDRIVEN\"");
		awaitDead();
		assertThat(terminal.run(act.command(1))).contains("\"dryRun\":true", "\"count\":1");
		assertThat(terminal.run(act.command(2))).contains("\"dryRun\":false", "\"count\":1");
		assertThat(terminal.run(act.command(3))).contains("\"count\":0");
	}

	@Test
	@Order(6)
	void lostOrRepairedMessages() {
		try (RespClient redis = terminal.redis()) {
			assertThat(redis.call("DEL", "dq:{order-timeout:0}:scheduled")).isEqualTo(1L);
		}
		assertThat(terminal.run(shell("Lost or repaired messages", 0))).contains("delayqueue_repaired_total{",
				"evicted_keys:0", "cmdstat_del:");

		assertThat(terminal.run(shell("Lost or repaired messages", 1))).contains("\"addsUp\":", "\"noPlace\":");

		// The message became due with the reschedule and is deferred again
		await().until(() -> message(ORDERS, "o-1").path("defers").asInt() == 2);
	}

	@Test
	@Order(7)
	void producersAreRefused() {
		assertDone(client().post(ORDERS + "/drain", "{}"));
		assertThat(client().placeOrder("o-2", "bob", Duration.ofHours(1)).status()).isEqualTo(503);

		assertThat(terminal.run(shell("Producers are refused", 0))).contains("drainingSince")
			.containsPattern("delayqueue_scheduled_total\\{[^}]*outcome=\"rejected\"[^}]*} 1\\.0");

		assertDone(client().post(ORDERS + "/reopen", "{}"));
	}

	@Test
	@Order(8)
	void redisFull() {
		try (RespClient redis = terminal.redis()) {
			redis.call("CONFIG", "SET", "maxmemory", "1mb");
			assertThat(terminal.run(shell("Redis full", 0))).contains("used_memory_human:", "maxmemory:1048576",
					"maxmemory_policy:noeviction", "\"status\":\"UP\"");

			assertThat(terminal.run(shell("Redis full", 1))).startsWith("OK").contains("\"count\":0");

			assertThat(redis.call("CONFIG", "GET", "maxmemory")).asInstanceOf(LIST).contains("2147483648");
		}
		assertThat(client().placeOrder("o-3", "bob", Duration.ofHours(1)).status()).isEqualTo(201);
	}

	@Test
	@Order(9)
	void redisAway() throws Exception {
		long redis = terminal.redisProcess();
		signal("STOP", redis);
		try {
			await().until(() -> client().get(HEALTH).status() == 503);
			Commands look = shell("Redis unavailable", 0);
			assertThat(terminal.refused(look.command(0))).containsPattern("has not answered for \\d+ s");
			assertThat(terminal.refused(look.command(1))).contains("503", "urn:delayqueue:redis-unavailable");
			assertThat(terminal.run(look.command(2))).contains("NaN");
		}
		finally {
			signal("CONT", redis);
		}
		await().until(() -> client().get(HEALTH).status() == 200);
	}

	@Test
	@Order(10)
	void badDeploy() {
		deadCallback();
		assertThat(terminal.run(shell("Bad deploy", 0))).contains("delayqueue_handled_seconds_count",
				"\"state\":\"SCHEDULED\"", "\"id\":\"c1\"");

		assertThat(terminal.run(shell("Bad deploy", 1))).contains("\"paused\":true", "\"paused\":false", "\"count\":1");
	}

	@Test
	@Order(11)
	void poisonMessage() {
		deadCallback();
		assertThat(terminal.run(shell("Poison message", 0))).contains("\"failures\":10", "\"crashes\":0",
				"delayqueue_reclaimed_total", "delayqueue_lease_lost_total");

		assertThat(terminal.run(shell("Poison message", 1).command(0))).contains("\"result\":\"REDRIVEN\"");
		awaitDead();
		assertThat(terminal.run(shell("Poison message", 1).command(1))).contains("\"result\":\"DISCARDED\"");

		callback("PT1H");
		await().until(() -> message(CALLBACKS, "c1").path("attempts").asInt() == 1);
		assertThat(terminal.run(shell("Poison message", 2))).contains("\"result\":\"CANCELLED\"");
	}

	@Test
	@Order(12)
	void hotGroup() {
		String report = "{\"game\":\"chess\",\"behaviour\":\"castle\"}";
		client().post("/reports/bulk", "[" + (report + ",").repeat(999) + report + "]");
		await().until(() -> client().get(REPORTS).body().path("parked").asInt() >= 100);
		assertDone(client().post(REPORTS + "/pause", "{}")); // keeps the reports in the
																// queue
		Commands commands = shell("Hot group", 0);
		assertThat(terminal.run(commands.command(0))).contains("\"parked\":");
		JsonNode parked = JsonMapper.shared().readTree(terminal.run(commands.command(1))).path("messages");

		assertThat(parked).isNotEmpty();
		String id = parked.get(0).path("id").asString();
		assertThat(terminal.run(commands.command(2).with("THE-ID", id))).contains("\"group\":\"chess\"");
		assertThat(terminal.run(commands.command(3))).contains("delayqueue_dropped_total", "state=\"parked\"");

		assertDone(client().post(REPORTS + "/purge", "{\"confirm\":\"report\"}"));
		assertDone(client().post(REPORTS + "/resume", "{}"));
	}

	@Test
	@Order(13)
	void anotherPartitionCount() {
		assertThat(terminal.run(shell("Another partition count", 0))).contains("\"partitions\":12", "\"earlier\":[1]");
	}

	@Test
	@Order(14)
	void pausing() {
		assertThat(terminal.run(shell("Pausing and draining for maintenance", 0))).contains("\"paused\":true",
				"\"pausedSince\":", "\"paused\":false", "the shop is away", "\"held\":false",
				"delayqueue_paused_seconds", "delayqueue_draining_seconds", "delayqueue_held_seconds");
	}

	@Test
	@Order(15)
	void disasterRecovery() {
		Outcome backup = terminal.attempt(shell("Disaster recovery", 0));
		// status 1: a file has changed
		assertThat(backup.status()).as(backup.printed()).isIn(0, 1);
		assertThat(client().placeOrder("o-after", "zoe", Duration.ofHours(1)).status()).isEqualTo(201);

		Commands restore = shell("Disaster recovery", 1);
		terminal.sample().stop();
		terminal.run(restore.before("# start the sample"));
		startSample();

		assertThat(client().get("/orders/o-1").text("status")).isEqualTo("UNPAID");
		assertThat(client().get("/orders/o-after").status()).isEqualTo(404);
		assertThat(terminal.run(restore.after("# start the sample"))).contains("\"paused\":true", "\"id\":\"o-1\"",
				"\"result\":\"CANCELLED\"", "\"paused\":false");
	}

	@Test
	@Order(16)
	void movedToAnotherRedis() {
		client().placeOrder("o-moved", "eve", Duration.ofHours(1));
		try (RespClient old = terminal.redis()) {
			// by default Redis waits for further replicas
			old.call("CONFIG", "SET", "repl-diskless-sync-delay", "0");
		}
		try (RedisServer redis = RedisServer.builder().start()) {
			Commands move = shell("Moving a queue", 0).with("NEW-HOST -p 6379", "127.0.0.1 -p " + redis.port())
				.with("OLD-HOST -p 6379", "127.0.0.1 -p " + terminal.redisPort())
				.with("OLD-HOST 6379", "127.0.0.1 " + terminal.redisPort());
			assertThat(terminal.run(move.command(0))).startsWith("OK");
			await().until(() -> terminal.run(move.command(1)).contains("master_link_status:up"));
			terminal.sample().stop();
			String offset = number("master_repl_offset", terminal.run(move.command(2)));
			await().until(() -> Long.parseLong(number("slave_repl_offset", terminal.run(move.command(1)))) >= Long
				.parseLong(offset));
			assertThat(terminal.run(move.command(3))).startsWith("OK");

			terminal.startSample("--spring.data.redis.url=" + redis.uri());
			assertThat(client().get("/orders/o-moved").text("status")).isEqualTo("UNPAID");
			assertThat(message(ORDERS, "o-moved").path("state").asString()).isEqualTo("SCHEDULED");
			terminal.sample().stop();
		}
	}

	@Test
	@Order(17)
	void allCommandsWereRun() {
		terminal.assertAllCommandsWereRun(Set.of());
	}

	private static String number(String field, String info) {
		return info.lines()
			.filter((line) -> line.startsWith(field + ":"))
			.map((line) -> line.substring(field.length() + 1).strip())
			.findFirst()
			.orElseThrow(() -> new AssertionError("Missing field " + field + " in " + info));
	}

	private static void signal(String signal, long process) throws IOException, InterruptedException {
		assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process)).start().waitFor()).isZero();
	}

}
