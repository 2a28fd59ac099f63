package io.delayqueue.process;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.ProcessLoad;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three processes take turns, and lose members. Nothing is reclaimed, because the
 * visibility timeout is an hour: messages that a dead process does not hold are found in
 * the turns of the other members. The tests share the living processes.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class FleetFaultsIntegrationTests {

	private static final int MEMBERS = 3;

	/** Several rounds of turns, with far more messages than a dying member may hold. */
	private static final int MANY = 60;

	private static ProcessHarness harness;

	private static final List<WorkerProcess> members = new ArrayList<>();

	private static int launched;

	@BeforeAll
	static void startRedis() {
		harness = new ProcessHarness();
	}

	@AfterAll
	static void stop() {
		harness.close();
	}

	@BeforeEach
	void replaceTheDead() {
		members.removeIf((member) -> !member.isAlive());
		while (members.size() < MEMBERS) {
			members.add(launch());
		}
		members.forEach(WorkerProcess::awaitReady);
		awaitListed(MEMBERS);
	}

	@Test
	@DisplayName("row 57: the other members handle what a killed member does not hold, without a reclaim")
	void otherMembersHandleWhatAKilledMemberDoesNotHold() {
		WorkerProcess victim = memberThatHolds("held-by-one");
		try (ProcessLoad load = new ProcessLoad(harness, "work", "one")) {
			load.awaitHandled(1);

			victim.kill();

			load.awaitHandled(MANY);
			load.stop();
			awaitAllHandledExceptByTheDead(load);
			assertThat(load.begins()).extracting(Line::id).doesNotHaveDuplicates();
			printLateness("killed", load, victim);
		}
	}

	@Test
	@DisplayName("row 58: a frozen member delays nothing that it does not hold, and what it held is handled once")
	void frozenMemberDelaysNothingThatItDoesNotHold() {
		WorkerProcess victim = memberThatHolds("held-in-ice");
		try (ProcessLoad load = new ProcessLoad(harness, "work", "ice")) {
			Awaitility.await().until(() -> isAtWork(others(victim), load.begins()));

			victim.freeze();

			load.awaitHandled(MANY);
			awaitListed(MEMBERS - 1);
			victim.resume();
			awaitListed(MEMBERS);
			Awaitility.await().until(() -> isAtWork(List.of(victim), load.begins()));
			load.stop();
			Awaitility.await().until(() -> load.unhandled().isEmpty());
			assertThat(load.begins()).extracting(Line::id).doesNotHaveDuplicates();
			printLateness("frozen", load, victim);
		}
		victim.send("go held-in-ice");
		harness.await("end", "held-in-ice", 1);
		assertThat(harness.ends("held-in-ice")).extracting(Line::more).containsExactly("kept");
		assertThat(harness.begins("held-in-ice")).hasSize(1);
	}

	@Test
	@DisplayName("row 59: the last of three members handles what two members do not hold that were killed together")
	void lastMemberHandlesWhatTwoKilledMembersDoNotHold() {
		WorkerProcess victim = memberThatHolds("held-by-two");
		WorkerProcess second = others(victim).get(0);
		try (ProcessLoad load = new ProcessLoad(harness, "work", "two")) {
			load.awaitHandled(1);

			victim.kill();
			second.kill();

			load.awaitHandled(MANY);
			load.stop();
			awaitAllHandledExceptByTheDead(load);
			assertThat(load.begins()).extracting(Line::id).doesNotHaveDuplicates();
			printLateness("two killed", load, victim);
		}
	}

	@Test
	@DisplayName("row 60: every message is handled while all members are replaced one after the other")
	void everyMessageIsHandledDuringARollingRestart() {
		try (ProcessLoad load = new ProcessLoad(harness, "work", "rolling")) {
			for (WorkerProcess old : List.copyOf(members)) {
				load.awaitHandled(1);
				WorkerProcess replacement = launch().awaitReady();
				old.terminate();
				old.awaitEnd();
				members.remove(old);
				members.add(replacement);
			}

			load.awaitHandled(MANY);
			load.stop();
			Awaitility.await().until(() -> load.unhandled().isEmpty());
			assertThat(load.begins()).extracting(Line::id).doesNotHaveDuplicates();
			awaitListed(MEMBERS);
		}
	}

	private static WorkerProcess launch() {
		return harness.launch("member-" + launched++, "worker.work=true", "delayqueue.defaults.visibility-timeout=1h");
	}

	/** Schedules a message whose handler does not return. */
	private static WorkerProcess memberThatHolds(String name) {
		harness.schedule("work", name, "hold");
		String process = harness.await("begin", name, 1).get(0).process();
		return members.stream().filter((member) -> member.name().equals(process)).findFirst().orElseThrow();
	}

	private static List<WorkerProcess> others(WorkerProcess member) {
		return members.stream().filter((other) -> other != member).toList();
	}

	/** Whether the last handler runs in one of the processes. */
	private static boolean isAtWork(List<WorkerProcess> processes, List<Line> begins) {
		return !begins.isEmpty() && processes.stream()
			.anyMatch((process) -> process.name().equals(begins.get(begins.size() - 1).process()));
	}

	/**
	 * Waits until each message is handled or pending. Only dead processes hold pending
	 * messages then: living processes would have handled them.
	 */
	private static void awaitAllHandledExceptByTheDead(ProcessLoad load) {
		Awaitility.await()
			.until(() -> harness.size("ZCARD", "work", "scheduled") == 0
					&& harness.pending("work") == harness.size("HLEN", "work", "messages"));
		assertThat(load.unhandled()).as("held by the dead").hasSizeLessThan(MANY / 2);
	}

	/** Prints the lateness of the messages that the victim did not handle. */
	private static void printLateness(String fault, ProcessLoad load, WorkerProcess victim) {
		long most = load.begins()
			.stream()
			.filter((line) -> !line.process().equals(victim.name()))
			.mapToLong((line) -> line.millis() - Long.parseLong(line.more()))
			.max()
			.orElseThrow();
		System.out.println(fault + ": at most " + most + " ms late");
	}

	private static void awaitListed(int count) {
		Awaitility.await(count + " members")
			.until(() -> harness.redis().call("ZCARD", "dq:{members}:members"), Long.valueOf(count)::equals);
	}

}
