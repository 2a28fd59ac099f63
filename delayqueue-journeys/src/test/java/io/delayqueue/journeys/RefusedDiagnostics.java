package io.delayqueue.journeys;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RedisServerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Every feature on a server that knows or permits no command of a diagnosis, as managed
 * services and proxies do, with the default start checks.
 */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("NullAway.Init")
abstract class RefusedDiagnostics extends EveryFeature {

	private static final List<String> UNKNOWN = List.of("CLIENT", "CLUSTER", "COMMAND", "CONFIG", "DBSIZE", "DEBUG",
			"KEYS", "LASTSAVE", "LATENCY", "MEMORY", "MODULE", "MONITOR", "OBJECT", "ROLE", "SCAN", "SLOWLOG", "TYPE");

	private static RedisServer redis;

	private static StartedShop shop;

	private final String driver;

	RefusedDiagnostics(String driver) {
		this.driver = driver;
	}

	@BeforeParameterizedClassInvocation
	static void start(String driver) {
		RedisServerBuilder builder = RedisServer.builder();
		UNKNOWN.forEach((command) -> builder.setting("rename-command", command, ""));
		redis = builder.start();
		redis.call("ACL", "SETUSER", "default", "-info", "-acl");
		shop = startShop(driver);
	}

	private static StartedShop startShop(String driver) {
		return StartedShop.on(redis.uri()).with("spring.data.redis.client-type", driver).start();
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		shop.close();
		redis.close();
	}

	@Override
	StartedShop shop() {
		return shop;
	}

	@Test
	void allMessagesAreDeliveredAndEachCheckWarnsOnce(CapturedOutput output) {
		long before = unknown(output);
		try (StartedShop other = startShop(this.driver)) {
			other.bean(DelayQueueOperations.class)
				.scheduleAll(IntStream.range(0, 1000)
					.mapToObj((i) -> ScheduleRequest.to("orders").payload("p").id("o-" + i).delay(Duration.ZERO))
					.toList());

			await().until(() -> other.bean(Shop.Listeners.class).received.stream()
				.filter((message) -> message.queue().equals("orders"))
				.count() == 1000);
			assertThat(other.get("/health/delayqueue").body()).contains("\"status\":\"UP\"");
			assertThat(unknown(output)).isEqualTo(before + 1);
		}
	}

	private static long unknown(CapturedOutput output) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains(" WARN ") && line.contains("not known: NOPERM"))
			.count();
	}

}
