package io.delayqueue.journey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The core suite as the user whose rights docs/guarantees.md tells.
 */
@SuppressWarnings("NullAway.Init")
class LeastRightsJourneyIntegrationTests extends JourneyTests {

	private static final Pattern COMMAND = Pattern.compile("ACL SETUSER shop ([^`]+)```");

	private static RedisServer redis;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.builder().start();
	}

	@AfterAll
	static void stopRedis() {
		String refused = String.valueOf(redis.call("ACL", "LOG"));
		redis.close();
		assertThat(refused.split("object, ")).as("what Redis has refused: " + refused)
			.allMatch((entry) -> entry.startsWith("[") || entry.startsWith("config|get,"));
	}

	@Override
	TestApplication application() {
		TestApplication application = new TestApplication(
				URI.create("redis://shop:secret@" + redis.host() + ":" + redis.port()));
		redis.call(command(application.prefix()));
		return application.with("spring.data.redis.client-type=" + driver());
	}

	String driver() {
		return "jedis";
	}

	/** As documented, for keys that begin otherwise. */
	static String[] command(String prefix) {
		try {
			Matcher documented = COMMAND.matcher(Files.readString(Path.of("..", "docs", "guarantees.md")));
			assertThat(documented.find()).isTrue();
			return Arrays.stream(("ACL SETUSER shop " + documented.group(1)).split("\\s+"))
				.map((word) -> word.replaceAll("^([~&])dq:", "$1" + prefix + ":"))
				.toArray(String[]::new);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
