package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.delayqueue.DelayedListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RedisServerBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * An application that checks its Redis at the first contact.
 */
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("NullAway.Init")
abstract class CheckedApplication {

	static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	RedisServer redis;

	TestApplication application;

	@AfterEach
	void stopAll() {
		if (this.application != null) {
			this.application.close();
		}
		if (this.redis != null) {
			this.redis.close();
		}
	}

	void start(RedisServerBuilder builder) {
		this.redis = builder.start();
		this.application = new TestApplication(this.redis.uri()).with("spring.data.redis.timeout=2s");
	}

	/** Returns whether the thread of the check exists. */
	static boolean isChecking() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals("delayqueue-startup-check"));
	}

	static void await(BooleanSupplier condition) {
		Awaitility.await().until(condition::getAsBoolean);
	}

	/** Lines logged by this library at a level. */
	static List<String> lines(CapturedOutput output, String level, String text) {
		return output.getAll()
			.lines()
			.filter((line) -> line.contains(" " + level + " ") && line.contains("delayqueue") && line.contains(text))
			.toList();
	}

	static class Listening {

		@DelayedListener(queue = "orders")
		void on(String payload) {
		}

	}

}
