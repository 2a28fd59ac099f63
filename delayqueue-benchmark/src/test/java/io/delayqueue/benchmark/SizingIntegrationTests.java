package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

/** The formula of the sizing page agrees with the memory that W4 measures. */
@Tag("slow")
class SizingIntegrationTests {

	private static final Pattern FORMULA = Pattern
		.compile("memory = waiting x \\((\\d+) \\+ (\\d+) x id \\+ payload\\)");

	@Test
	void memoryOfAWaitingMessageIsThatOfTheFormula() throws IOException {
		MatchResult formula = FORMULA.matcher(Files.readString(Path.of("..", "docs", "sizing.md")))
			.results()
			.findFirst()
			.orElseThrow();
		int id = new Message(0, 0).id().length();
		double expected = Integer.parseInt(formula.group(1)) + Integer.parseInt(formula.group(2)) * id + Message.SIZE;
		try (RedisServer server = RedisServer.builder().start();
				Peer peer = Target.of(server).start(Contender.STARTER, (payload) -> {
				})) {
			assertThat(WaitingWorkload.bytesOfOne(peer, server, 0, 50_000)).isCloseTo(expected, withinPercentage(5));
		}
	}

}
