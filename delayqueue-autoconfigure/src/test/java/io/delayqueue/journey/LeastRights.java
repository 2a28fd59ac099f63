package io.delayqueue.journey;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.delayqueue.test.redis.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rights of a user as docs/guarantees.md tells them.
 */
final class LeastRights {

	private static final Pattern COMMAND = Pattern.compile("(ACL SETUSER shop [^`]+)```");

	private static final Pattern ON_A_CLUSTER = Pattern.compile("In a cluster add `([^`]+)`");

	private LeastRights() {
	}

	/** The command, for keys that begin otherwise. */
	static Stream<String> command(String prefix) {
		return documented(COMMAND).map((word) -> word.replaceAll("^([~&])dq:", "$1" + prefix + ":"));
	}

	/** What a cluster needs besides. */
	static Stream<String> onACluster() {
		return documented(ON_A_CLUSTER);
	}

	private static Stream<String> documented(Pattern pattern) {
		try {
			Matcher found = pattern.matcher(Files.readString(Path.of("..", "docs", "guarantees.md")));
			assertThat(found.find()).isTrue();
			return Stream.of(found.group(1).split("\\s+"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** But for the two commands that the documentation says may be refused. */
	static void assertNothingElseWasRefused(RedisServer server) {
		String refused = String.valueOf(server.call("ACL", "LOG"));
		assertThat(refused.split("object, ")).as("what Redis has refused: " + refused)
			.allMatch((entry) -> entry.startsWith("[") || entry.startsWith("config|get,")
					|| entry.startsWith("client|setinfo,"));
	}

}
