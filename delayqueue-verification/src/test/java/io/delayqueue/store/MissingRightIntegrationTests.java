package io.delayqueue.store;

import java.net.URI;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import io.delayqueue.MessageState;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Redis user may not run a command: Redis checks that only when a script reaches it.
 */
@Tag("slow")
class MissingRightIntegrationTests {

	private static final Map<StoreScript, Set<String>> commands = new EnumMap<>(StoreScript.class);

	private static RedisServer redis;

	private static Connected connected;

	private static Connected limited;

	@BeforeAll
	static void start() {
		redis = RedisServer.builder().start();
		connected = Connected.over(Driver.JEDIS, redis.uri());
		redis.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all");
		limited = Connected.over(Driver.JEDIS,
				URI.create("redis://limited:secret@" + redis.host() + ":" + redis.port()));
	}

	@AfterAll
	static void stop() {
		limited.close();
		connected.close();
		redis.close();
	}

	/**
	 * {@link StoppedScriptIntegrationTests} tests where a script stops: one refusal of
	 * each command suffices here.
	 */
	@ParameterizedTest
	@MethodSource("commandsOfWritingScripts")
	void theMessageNamesTheCommandAndNoMessageIsLost(String command) {
		Set<StoreScript> refused = EnumSet.noneOf(StoreScript.class);
		Scenarios.withReads()
			.filter((scenario) -> commands(scenario.script()).contains(command))
			.forEach((scenario) -> {
				if (!refused.contains(scenario.script()) && isRefused(scenario, command)) {
					refused.add(scenario.script());
				}
			});
		assertThat(refused).isNotEmpty();
	}

	private static boolean isRefused(Scenario scenario, String command) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			List<Entry> held = scenario.given().prepare(partition);
			Set<String> known = new TreeSet<>(partition.dump().messages().keySet());
			StoreException failure = without(command, () -> scenario.when().call(partition.storeOver(limited), held));
			if (failure == null) {
				return false;
			}
			assertNames(failure, command);
			PartitionDump dump = partition.dump();
			assertThat(Audit.invariant(dump, partition.now())).as(scenario.name()).isEmpty();
			known.removeAll(dump.messages().keySet());
			if (!known.isEmpty()) {
				assertThat(scenario.end().messages()).as("messages that %s removes", scenario)
					.doesNotContainKeys(known.toArray(String[]::new));
			}
			return true;
		}
	}

	static Stream<String> commandsOfWritingScripts() {
		Set<String> commands = new TreeSet<>();
		Scenarios.withReads().map(Scenario::script).distinct().forEach((script) -> commands.addAll(commands(script)));
		return commands.stream();
	}

	@ParameterizedTest
	@ValueSource(strings = { "hget", "zscore", "xpending", "xrange" })
	void findNamesTheCommand(String command) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			States.pending("a").prepare(partition);
			States.ready("b").prepare(partition);
			TestStore store = partition.storeOver(limited);
			assertNames(without(command, () -> store.find(TestMessages.key("b"))), command);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "zcount", "zcard", "xlen", "xpending", "xinfo", "time" })
	void snapshotNamesTheCommand(String command) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			States.pending("a").prepare(partition);
			TestStore store = partition.storeOver(limited);
			StoreException failure = without(command, () -> store.snapshots().of(store.partition()));
			assertNames(failure, command);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "zrange", "zrank", "zscore", "hmget", "zcard" })
	void aPageNamesTheCommand(String command) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			States.scheduled("a", "b").prepare(partition);
			TestStore store = partition.storeOver(limited);
			Pages.Position behind = Pages.Position.behind(Long.toString(States.DUE), Reply.bytes("a"));
			assertNames(
					without(command, () -> store.pages().list(store.partition(), MessageState.SCHEDULED, behind, 10)),
					command);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "xinfo", "xrange", "xpending", "hmget", "hlen" })
	void aPageOfTheStreamNamesTheCommand(String command) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			States.pending("a", "b").prepare(partition);
			TestStore store = partition.storeOver(limited);
			assertNames(without(command, () -> store.list(MessageState.PENDING)), command);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "xreadgroup", "hmget" })
	void readNamesTheCommand(String command) {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			States.ready("a").prepare(partition);
			TestStore store = partition.storeOver(limited);
			StoreException failure = without(command, () -> store.read("holder"));
			assertNames(failure, command);
		}
	}

	@Test
	void withoutTheRightToRunScriptsTheErrorOfRedisIsReported() {
		try (TestPartition partition = TestPartition.on(redis, connected)) {
			TestStore store = partition.storeOver(limited);
			assertThat(without("evalsha", store::sweep)).hasMessageContaining("'evalsha'")
				.extracting(StoreException::kind)
				.isEqualTo(FailureKind.REFUSED);
		}
	}

	private static void assertNames(StoreException failure, String command) {
		assertThat(failure).isNotNull();
		assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED);
		String right = switch (command) {
			case "xgroup" -> "xgroup|create, xgroup|delconsumer";
			case "xinfo" -> "xinfo|consumers, xinfo|groups";
			default -> command;
		};
		assertThat(failure).hasMessageContaining("lacks the right to run [" + right + "]")
			.hasMessageContaining("ACL SETUSER");
	}

	private static StoreException without(String command, Runnable call) {
		redis.call("ACL", "SETUSER", "limited", "-" + command);
		try {
			call.run();
			return null;
		}
		catch (StoreException failure) {
			return failure;
		}
		finally {
			redis.call("ACL", "SETUSER", "limited", "+" + command);
		}
	}

	private static Set<String> commands(StoreScript script) {
		return commands.computeIfAbsent(script, (one) -> ScriptText.of(one).commands());
	}

}
