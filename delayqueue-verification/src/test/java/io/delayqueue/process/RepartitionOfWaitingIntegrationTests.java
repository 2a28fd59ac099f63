package io.delayqueue.process;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.queue.Epochs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The partition count changes while messages wait that are due much later. {@code
 * -Drepartition.waiting=1000000} sets their number; the times are printed.
 */
@Tag("slow")
class RepartitionOfWaitingIntegrationTests {

	private static final Duration LONG = Duration.ofDays(30);

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final int SOME = 500;

	private static final int OF_A_CALL = 1000;

	private static final Pattern CALLS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");

	@Test
	@DisplayName("row 69: a queue grows twice while messages for 30 days wait in the first partition")
	void queueGrowsTwiceWhileMessagesWait() {
		try (ProcessHarness harness = harness()) {
			harness.launch("one", "worker.load=true").awaitReady();
			harness.launch("other", "worker.load=true").awaitReady();
			schedule(harness, SOME);
			long began = System.nanoTime();
			grow(harness, 3);
			grow(harness, 8);
			System.out.println("1 -> 3 -> 8 in " + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms with "
					+ SOME + " messages that wait for " + LONG);

			assertThatExceptionOfType(RepartitionPendingException.class)
				.isThrownBy(() -> harness.admin().repartition("chosen", 12));
			assertThat(harness.size("HLEN", "chosen", "messages")).isEqualTo(SOME);
			assertThat(IntStream.range(0, SOME).mapToObj((i) -> harness.queues().schedule(request(i))))
				.extracting(ScheduleResult::outcome)
				.containsOnly(Outcome.DUPLICATE);
			// A group stays where its messages are, everything else goes to the new epoch
			harness.queues()
				.schedule(ScheduleRequest.to("chosen").id("mate").group("group-1").payload("mate done").delay(LONG));
			harness.queues().schedule("chosen", "new done", Duration.ZERO);
			harness.await("end", "new", 1);
			assertThat(harness.size("HLEN", "chosen", "messages")).isEqualTo(SOME + 1);
			assertThat(harness.queues().reschedule("chosen", "waiting-7", Duration.ZERO))
				.isEqualTo(RescheduleResult.RESCHEDULED);
			harness.await("end", "waiting-7", 1);

			assertThat(harness.queues().cancel("chosen", "mate")).isEqualTo(CancelResult.CANCELLED);
			assertThat(IntStream.range(0, SOME)
				.filter((i) -> i != 7)
				.mapToObj((i) -> harness.queues().cancel("chosen", "waiting-" + i)))
				.containsOnly(CancelResult.CANCELLED);
			Awaitility.await("the older epochs end")
				.atMost(LIMIT)
				.until(() -> EpochWatch.epochs(harness, "chosen").epochs().size() == 1);
			grow(harness, 12);
		}
	}

	@Test
	@DisplayName("row 69: a change of the partition count moves no message that waits")
	void changeMovesNoMessage() {
		int waiting = Integer.getInteger("repartition.waiting", 20_000);
		try (ProcessHarness harness = harness()) {
			schedule(harness, waiting);
			harness.launch("one", "worker.load=true").awaitReady();
			harness.redis().call("CONFIG", "RESETSTAT");
			long began = System.nanoTime();
			harness.admin().repartition("chosen", 8);
			long returned = System.nanoTime();
			Awaitility.await()
				.pollInterval(Duration.ofMillis(2))
				.until(() -> EpochWatch.epochs(harness, "chosen").current().partitions() == 8);
			long changed = System.nanoTime();
			Awaitility.await()
				.until(() -> harness.call("HGET", ProcessHarness.key("chosen", "control"), "closed") != null);

			System.out.println(waiting + " waiting messages: the call took " + (returned - began) / 1000
					+ " us, the new epoch was current after " + (changed - began) / 1000_000 + " ms; "
					+ calls(harness, "zadd") + " ZADD, " + calls(harness, "xadd") + " XADD, " + calls(harness, "hset")
					+ " HSET");
			assertThat(harness.size("HLEN", "chosen", "messages")).isEqualTo(waiting);
			assertThat(harness.size("ZCARD", "chosen", "scheduled")).isEqualTo(waiting);
			Epochs epochs = EpochWatch.epochs(harness, "chosen");
			assertThat(epochs.partitions(epochs.current()))
				.allMatch((partition) -> harness.call("EXISTS", "dq:{" + partition + "}:messages").equals(0L));
			assertThat(calls(harness, "xadd")).isZero();
			// Refreshes of the list of members make these calls
			assertThat(calls(harness, "zadd")).isLessThan(100);
		}
	}

	private static ProcessHarness harness() {
		return new ProcessHarness(Servers.inMemory(Servers.Kind.STANDALONE), LoadPlan.properties());
	}

	private static void schedule(ProcessHarness harness, int count) {
		for (int from = 0; from < count; from += OF_A_CALL) {
			List<ScheduleRequest> requests = IntStream.range(from, Math.min(count, from + OF_A_CALL))
				.mapToObj(RepartitionOfWaitingIntegrationTests::request)
				.toList();
			assertThat(harness.queues().scheduleAll(requests))
				.allMatch((answer) -> answer.result().outcome() == Outcome.CREATED);
		}
	}

	private static ScheduleRequest request(int number) {
		String id = "waiting-" + number;
		ScheduleRequest request = ScheduleRequest.to("chosen").id(id).payload(id + " done").delay(LONG);
		return (number % 2 == 0) ? request : request.group("group-" + number % 50);
	}

	private static void grow(ProcessHarness harness, int partitions) {
		Awaitility.await()
			.atMost(LIMIT)
			.pollInterval(Duration.ofMillis(20))
			.ignoreException(RepartitionPendingException.class)
			.until(() -> harness.admin().repartition("chosen", partitions).partitions() > 0
					&& EpochWatch.epochs(harness, "chosen").current().partitions() == partitions);
	}

	/** The number of calls of a command since the last reset of the statistics. */
	private static long calls(ProcessHarness harness, String command) {
		Matcher matcher = CALLS.matcher(String.valueOf(harness.redis().call("INFO", "commandstats")));
		while (matcher.find()) {
			if (matcher.group(1).equals(command)) {
				return Long.parseLong(matcher.group(2));
			}
		}
		return 0;
	}

}
