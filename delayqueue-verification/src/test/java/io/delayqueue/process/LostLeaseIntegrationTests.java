package io.delayqueue.process;

import java.time.Duration;
import java.util.List;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.TransactionalListener;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Handlers that are slower than the visibility timeout: with heartbeats, in a frozen
 * process, and in a process whose heartbeats do not arrive. All three cases run at the
 * same time, and a second process is ready to take every message.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LostLeaseIntegrationTests {

	private static final List<String> QUEUES = List.of("work", "transactional", "unstarted", "unfinished");

	/** Long enough for the other process to have run its reclaimer. */
	private static final Duration SLOW = ProcessHarness.VISIBILITY_TIMEOUT.plus(ProcessHarness.RECLAIM_INTERVAL)
		.plusSeconds(1);

	private static ProcessHarness harness;

	private static WorkerProcess second;

	private static WorkerProcess frozen;

	private static String zombie;

	@BeforeAll
	static void begin() {
		harness = new ProcessHarness();
		harness.redis().call("ACL", "SETUSER", "mute", "on", ">secret", "~*", "&*", "+@all");
		WorkerProcess first = harness.launch("first", "worker.work=true", "worker.transactional=true");
		frozen = harness.launch("frozen", "worker.unstarted=true");
		WorkerProcess mute = harness.launch("mute", "worker.unfinished=true",
				"spring.data.redis.url=redis://mute:secret@127.0.0.1:" + harness.redis().port());
		second = harness.launch("second").awaitReady();
		for (String queue : QUEUES) {
			second.send("pause " + queue);
			second.send("start " + queue);
			harness.await("did", queue, 2);
		}
		first.awaitReady();
		frozen.awaitReady();
		mute.awaitReady();
		zombie = harness.schedule("unstarted", "zombie", "hold");
		harness.await("begin", "zombie", 1);
		frozen.freeze();
		harness.schedule("unfinished", "watched", "watch");
		harness.await("begin", "watched", 1);
		mute.send("pause unfinished");
		harness.redis().call("ACL", "SETUSER", "mute", "-xclaim");
		harness.schedule("work", "slow", "take " + SLOW.toMillis());
		harness.schedule("transactional", "slow-too", "take " + SLOW.toMillis());
		harness.await("begin", "slow", 1);
		harness.await("begin", "slow-too", 1);
		QUEUES.forEach((queue) -> second.send("resume " + queue));
	}

	@AfterAll
	static void stop() {
		harness.close();
	}

	@Test
	@DisplayName("row 12: a handler that is slower than the visibility timeout runs once")
	void slowHandlerRunsOnce() {
		harness.await("end", "slow", 1);
		harness.awaitEmpty("work");

		assertThat(harness.begins("slow")).extracting(Line::process).containsExactly("first");
		assertThat(harness.ends("slow")).extracting(Line::more).containsExactly("kept");
	}

	@Test
	@DisplayName("row 12: a transactional listener that is slower than the visibility timeout runs once and commits once")
	void slowTransactionalListenerCommitsOnce() {
		harness.await("end", "slow-too", 1);
		harness.awaitEmpty("transactional");

		assertThat(harness.begins("slow-too")).hasSize(1);
		assertThat(harness.lines((line) -> line.event().equals("commit"))).extracting(Line::process, Line::id)
			.containsExactly(tuple("first", TransactionalListener.class.getName() + ".handle"));
		assertThat(harness.lines((line) -> line.event().equals("rollback"))).isEmpty();
	}

	@Test
	@DisplayName("row 13: a frozen process cannot settle a message after its lease has passed to another process")
	void frozenProcessCannotSettleAMessageOfAnotherProcess() {
		List<Line> begins = harness.await("begin", "zombie", 2);
		assertThat(begins).extracting(Line::process, Line::attempt)
			.containsExactly(tuple("frozen", 1), tuple("second", 2));
		Awaitility.await()
			.until(() -> System.currentTimeMillis() - begins.get(0).millis() > 3
					* ProcessHarness.VISIBILITY_TIMEOUT.toMillis());

		frozen.resume();
		frozen.send("go zombie");

		harness.await("superseded", "unstarted", 1);
		assertThat(harness.ends("zombie")).extracting(Line::process, Line::more)
			.containsExactly(tuple("frozen", "lost"));
		MessageSnapshot running = harness.queues().find("unstarted", zombie).orElseThrow();
		assertThat(running.state()).isEqualTo(MessageState.PENDING);
		assertThat(running.attempts()).isEqualTo(1);
		second.send("go zombie");
		harness.await("end", "zombie", 2);
		harness.awaitEmpty("unstarted");
		assertThat(harness.begins("zombie")).hasSize(2);
		assertThat(harness.events("superseded", "unstarted")).extracting(Line::process).containsExactly("frozen");
	}

	@Test
	@DisplayName("row 14: a handler whose heartbeats do not arrive can detect it, and its result does not count")
	void handlerWithoutHeartbeatsDetectsItsLostLease() {
		assertThat(harness.await("end", "watched", 1)).extracting(Line::process, Line::more)
			.startsWith(tuple("mute", "lost"));

		assertThat(harness.await("begin", "watched", 2)).extracting(Line::attempt).containsExactly(1, 2);
		second.send("go watched");
		harness.await("end", "watched", 2);
		harness.awaitEmpty("unfinished");
	}

}
