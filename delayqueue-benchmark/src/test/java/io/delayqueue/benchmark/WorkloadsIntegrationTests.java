package io.delayqueue.benchmark;

import java.util.List;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the workloads in a tiny size. */
@Tag("slow")
class WorkloadsIntegrationTests {

	private static final Scale TINY = new Scale(0.001);

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			W1  | bulk /s
			W2  | 200 /s
			W3  | 5,000/s, p99 ms
			W4  | 1,000 waiting, drain /s
			W5  | 100 queues, commands /s
			W6  | drain us
			W7  | the other queue's p99 ms
			W8  | hottest game 10x slower, cold games' p99 ms
			W17 | the other groups' p99 ms
			W18 | second 0, longest ms
			""")
	void eachMeasuresTheStarter(String name, String line) throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			List<Measured> measured = Workloads.of(TINY).get(name).run(Contender.STARTER, Target.of(server));
			assertThat(measured).extracting(Measured::line).contains(line).doesNotHaveDuplicates();
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			W11 | always, 5,000/s, p99 ms
			W12 | TLS, bulk /s
			W13 | 64 KB, 20 /s
			W14 | with, first delivery ms
			W19 | groups with a limit, 1,000/s, Redis us
			""")
	void eachVariantMeasuresTheStarter(String name, String line) throws InterruptedException {
		eachMeasuresTheStarter(name, line);
	}

	@ParameterizedTest
	@CsvSource({ "W15, history", "W16, budget" })
	void theSettingsReachTheApplication(String name, String key) throws InterruptedException {
		try (RedisServer server = RedisServer.builder().start()) {
			List<Measured> measured = Workloads.of(TINY).get(name).run(Contender.STARTER, Target.of(server));
			assertThat(measured).hasSize(4).doesNotHaveDuplicates();
			assertThat(server.call("EXISTS", "dq:{" + StarterPeer.QUEUE + ":0}:" + key)).isEqualTo(1L);
		}
	}

	@Test
	void theWorkloadsAreNumbered() {
		assertThat(Workloads.of(TINY).keySet()).hasSize(19).first().isEqualTo("W1");
	}

}
