package io.delayqueue.benchmark;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The plain client calls the scripts that the starter calls, with the same arguments. */
@Tag("slow")
class StarterScriptsIntegrationTests {

	private static final int COUNT = 50;

	@Test
	void theCallsAreThoseOfTheStarter() throws InterruptedException {
		Map<Call, List<String>> starter = calls(Contender.STARTER);
		Map<Call, List<String>> scripts = calls(Contender.SCRIPTS);
		Arrays.stream(Call.values())
			.forEach((call) -> assertThat(scripts.get(call)).as(call.script).isNotNull().isEqualTo(starter.get(call)));
	}

	/** The last call of each script: its keys and arguments, without random values. */
	private static Map<Call, List<String>> calls(Contender contender) throws InterruptedException {
		Ledger ledger = new Ledger(COUNT);
		try (RedisServer server = RedisServer.builder().start();
				CommandLog log = CommandLog.of(server);
				Peer peer = Target.of(server).start(contender, ledger::handle)) {
			long due = System.currentTimeMillis() + 500;
			peer.scheduleAll(IntStream.range(0, COUNT).mapToObj((number) -> new Message(number, due)).toList());
			ledger.await(Duration.ofMinutes(1));
			await().until(() -> peer.waiting() == 0);
			Map<Call, List<String>> calls = new HashMap<>();
			log.commands()
				.forEach((command) -> Arrays.stream(Call.values())
					.filter((call) -> call.isCalledBy(command))
					.forEach((call) -> calls.put(call, call.form(command.arguments()))));
			return calls;
		}
	}

	/** The scripts of a message from its schedule to its end. */
	private enum Call {

		SCHEDULE_NEW("schedule-new", 5, Set.of(2, 3, 4), Set.of()),

		SWEEP("sweep", 13, Set.of(), Set.of(0, 1)),

		ACKNOWLEDGE("acknowledge", 8, Set.of(5, 6), Set.of(2, 4));

		private final String script;

		private final int count;

		private final Set<Integer> lengths;

		private final Set<Integer> any;

		/**
		 * A script.
		 * @param script its name
		 * @param count the arguments up to those of the first message
		 * @param lengths the arguments whose length counts
		 * @param any the arguments that do not count
		 */
		Call(String script, int count, Set<Integer> lengths, Set<Integer> any) {
			this.script = script;
			this.count = count;
			this.lengths = lengths;
			this.any = any;
		}

		boolean isCalledBy(CommandLog.Command command) {
			return switch (command.name()) {
				case "EVALSHA" -> command.arguments().get(0).equals(Scripts.digest(this.script));
				case "EVAL" -> command.arguments().get(0).equals(Scripts.text(this.script));
				default -> false;
			};
		}

		List<String> form(List<String> arguments) {
			int keys = Integer.parseInt(arguments.get(1));
			List<String> form = new ArrayList<>(arguments.subList(1, 2 + keys));
			List<String> values = arguments.subList(2 + keys, arguments.size());
			for (int i = 0; i < this.count; i++) {
				String value = values.get(i);
				form.add(
						this.any.contains(i) ? "*" : this.lengths.contains(i) ? value.length() + " characters" : value);
			}
			return form;
		}

	}

}
