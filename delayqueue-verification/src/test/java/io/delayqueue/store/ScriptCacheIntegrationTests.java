package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.delayqueue.MessageState;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis caches every script text: no argument may become part of a script.
 */
class ScriptCacheIntegrationTests {

	private static final int ROUNDS = 20;

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void redisCachesAsManyScriptsAsThereAreFiles(Driver driver) {
		try (Connected connected = Connected.over(driver, this.redis.uri())) {
			for (int round = 0; round < ROUNDS; round++) {
				TestStore store = new TestStore(connected.template(), new KeySpace("prefix-" + round),
						new Partition("queue-" + round, round));
				runEveryScript(store, round);
			}
			assertThat(String.valueOf(this.redis.call("INFO", "memory")).lines())
				.contains("number_of_cached_scripts:" + StoreScript.values().length);
			this.redis.call("SCRIPT", "FLUSH");
			runEveryScript(new TestStore(connected.template(), new KeySpace("again"), new Partition("again", 0)), 0);
		}
	}

	private static void runEveryScript(TestStore store, int round) {
		EpochCalls epochCalls = new EpochCalls(store.calls());
		epochCalls.prepare(store.partition());
		epochCalls.layOut(store.partition(), TestStore.PARTITIONS, new PartitionControl.Setting(0, 0, 0, 0, ""),
				List.of());
		Holds holds = new Holds(store.calls());
		holds.hold(store.partition(), States.hold(null, States.FAR));
		holds.endAll(store.partition());
		holds.of(store.partition(), 1);
		new Budgets(store.calls()).ask(store.partition().queue(), new Budgets.Demand("reader/0", 1, 0, 0, 1, "", 0),
				new FlowSettings(null, 1), Duration.ofSeconds(1));
		Trends trends = new Trends(store.calls());
		trends.add(store.partition().queue(), 1 + round, Map.of(Trends.SCHEDULED, 1L));
		trends.find(store.partition().queue(), Trends.Span.HOUR);
		epochCalls.remaining(store.partition());
		epochCalls.end(store.partition());
		new Groups(store.calls()).trimRates(store.partition());
		store.ends();
		store.history().trim(store.partition());
		epochCalls.carryOut(store.partition(), 0);
		epochCalls.carried(store.partition(), List.of());
		store.calls().run(StoreScript.CARRY_IN, store.partition(), 0, "", Duration.ofSeconds(1), 0);
		Epochs first = Epochs.first(store.partition().queue(), TestStore.PARTITIONS);
		new QueueDirectory(store.calls()).change(first, first.announce(8, 8));
		store.calls().run(StoreScript.REGISTER, store.partition(), "unknown", 1);
		store.calls().run(StoreScript.FIND_EPOCHS, List.of(store.partition()));
		store.schedule("a", States.DUE, 1);
		store.schedule("b", States.DUE, 2);
		store.schedule("c", States.DUE, 3);
		store.schedule(TestMessages.made(TestMessages.message("new", States.FAR, 4)));
		store.reschedule("a", States.DUE + round);
		List<Entry> held = store.take("holder");
		assertThat(held).hasSize(3);
		store.leases().renewAll(store.partition());
		store.deadLetter(held.get(0), "it broke");
		store.retry(held.get(1), "it broke");
		store.release(States.DUE, held.get(2));
		store.take("holder");
		store.reclaim();
		store.list(MessageState.DEAD);
		store.list(MessageState.READY);
		store.list(MessageState.PARKED);
		store.consumers().of(store.partition());
		store.redrive(held.get(0).id());
		store.discard("unknown");
		store.acknowledge(held.get(0));
		store.cancel("a", round);
		store.purge(true, "unknown");
		store.control(Switch.PAUSED, false);
		store.find(TestMessages.key("b"));
		store.snapshots().of(store.partition());
		new PartitionPeek(store.calls()).peek(List.of(store.partition()));
		store.calls().run(StoreScript.SEND_HINT, store.partition(), "channel", "hint");
		store.leases().removeConsumers(store.partition(), "holder");
		new Members(store.calls()).list("");
		store.audit();
		store.calls()
			.run(StoreScript.REPAIR, store.partition(), Reply.bytes(1), Reply.bytes("unknown"), Reply.bytes(""));
		store.repair();
		runRecurring(store);
		store.calls().run(StoreScript.RIGHTS, store.partition(), Reply.bytes("hget"));
	}

	private static void runRecurring(TestStore store) {
		RecurringCalls recurring = new RecurringCalls(store.calls());
		Partition partition = store.partition();
		Epochs epochs = Epochs.first(partition.queue(), TestStore.PARTITIONS);
		recurring.stop(partition, "unknown", "", RecurringCalls.Stop.PAUSE);
		recurring.find(partition, "unknown", false);
		recurring.page(partition, "0", 1);
		store.calls().run(StoreScript.CARRY_RECURRING, partition, "unknown", "none", "allow", "", "", "");
		String definition = "1 none 0 0 0 - 0 0 0 0 0\n\n{}\n\n";
		store.calls().run(StoreScript.RECEIVE_RECURRING, partition, "", "known", "+inf", definition);
		new RecurringSteps(store.calls()).mend(partition);
		new RecurringSteps(store.calls()).advance(partition, epochs, List.of(), 1, RecurringSteps.After.BEGIN, false);
		store.calls()
			.run(StoreScript.PUT_RECURRING, partition, TestStore.PARTITIONS, "", "known", "none", 0, "\n{}\n\n", 0, 0,
					"", "0000000000000000", "", "", 1, 1);
	}

}
