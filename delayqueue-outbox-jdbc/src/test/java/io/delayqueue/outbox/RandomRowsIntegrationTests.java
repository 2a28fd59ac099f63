package io.delayqueue.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A random sequence of rows for few messages, which are unknown, wait, are being handled,
 * have finished or are dead, in several groups. Each committed row that schedules becomes
 * a message, or a failed row, or changes nothing and is counted, because a message of its
 * id waits. A failed row can be retried if and only if no later row of its id was sent.
 * {@code -Ddelayqueue.test.outbox.steps} and {@code -Ddelayqueue.test.outbox.seed} set
 * the number of steps and the seed.
 */
class RandomRowsIntegrationTests {

	private static final String QUEUE = "handled";

	/** The header with the number of the step that has stored a message. */
	private static final String NUMBER = "number";

	private static final Duration HOUR = Duration.ofHours(1);

	private static final List<DuplicatePolicy> POLICIES = List.of(DuplicatePolicy.keep(), DuplicatePolicy.keep(),
			DuplicatePolicy.replace(), DuplicatePolicy.postpone(Duration.ofDays(9)));

	private static final List<String> FATES = List.of("ends", "fails", "runs");

	private static final List<MessageKey> KEYS = List.of(MessageKey.of(QUEUE, "a"), new MessageKey(QUEUE, "b", "x"),
			new MessageKey(QUEUE, "b", "y"));

	/** The last step whose row was sent, by id. */
	private final Map<String, Integer> sent = new HashMap<>();

	/** The step of each row that has failed. */
	private final Map<Long, Integer> failed = new HashMap<>();

	private final List<String> steps = new ArrayList<>();

	static class Listener {

		private final Map<String, String> fates = new ConcurrentHashMap<>();

		private final Map<String, CountDownLatch> running = new ConcurrentHashMap<>();

		@DelayedListener(queue = QUEUE)
		void handle(DelayedMessage<String> message) throws InterruptedException {
			String name = nameOf(message.id(), message.group().orElse(null));
			String fate = this.fates.getOrDefault(name, "");
			if (fate.equals("fails")) {
				throw new IllegalStateException("a test");
			}
			if (fate.equals("runs")) {
				CountDownLatch end = new CountDownLatch(1);
				this.running.put(name, end);
				end.await();
			}
		}

	}

	private static String nameOf(String id, Object group) {
		return id + "/" + group;
	}

	@Test
	@DisplayName("each row of a random sequence becomes a message or a failed row, or a message of its id waits")
	void noRowDisappears() {
		run(Integer.getInteger("delayqueue.test.outbox.steps", 60));
	}

	@Test
	@Tag("slow")
	@DisplayName("so does each row of a long sequence")
	void noRowOfALongSequenceDisappears() {
		run(Integer.getInteger("delayqueue.test.outbox.steps", 1500));
	}

	private void run(int most) {
		long seed = Long.getLong("delayqueue.test.outbox.seed", System.nanoTime());
		Random random = new Random(seed);
		try (OutboxApplication application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.set("delayqueue.defaults.max-attempts", 1)
			.set("delayqueue.defaults.done-window", "1h")
			.with(Listener.class)
			.start()) {
			for (int n = 0; n < most; n++) {
				step(application, n, random);
			}
			application.bean(Listener.class).running.values().forEach(CountDownLatch::countDown);
		}
		catch (AssertionError | RuntimeException failure) {
			throw new AssertionError("-Ddelayqueue.test.outbox.seed=" + seed + " " + this.steps, failure);
		}
	}

	private void step(OutboxApplication application, int n, Random random) {
		MessageKey key = KEYS.get(random.nextInt(KEYS.size()));
		DuplicatePolicy policy = POLICIES.get(random.nextInt(POLICIES.size()));
		String fate = FATES.get(random.nextInt(FATES.size()));
		DelayQueueOutbox outbox = application.outbox();
		switch (random.nextInt(10)) {
			case 0, 1, 2, 3 -> {
				this.steps.add(n + " schedule " + key + " " + policy);
				ScheduleRequest request = ScheduleRequest.to(QUEUE).id(key.id()).payload("x").delay(HOUR);
				send(application, n, key, true,
						() -> application.inTransaction(
								() -> outbox.schedule(((key.group() != null) ? request.group(key.group()) : request)
									.header(NUMBER, Integer.toString(n))
									.onDuplicate(policy))));
			}
			case 4, 5, 6, 7 -> deliver(application, key, fate);
			case 8 -> {
				boolean cancels = random.nextBoolean();
				this.steps.add(n + (cancels ? " cancel " : " reschedule ") + key);
				send(application, n, key, false, () -> application.inTransaction(() -> {
					if (cancels) {
						outbox.cancel(key);
					}
					else {
						outbox.reschedule(key, HOUR);
					}
				}));
			}
			default -> retry(application, random.nextInt(4) == 0);
		}
	}

	/** Sends a row, which may be a failed one, and checks what has become of it. */
	private void send(OutboxApplication application, int number, MessageKey key, boolean isSchedule, Runnable work) {
		boolean waits = application.delayQueue()
			.find(key)
			.filter((message) -> message.state() == MessageState.SCHEDULED)
			.isPresent();
		long before = application.bean(JdbcOutbox.class).counts().unchanged();
		work.run();
		await().until(() -> application.allRows().stream().allMatch((row) -> row.get("failed_at") != null));
		List<Long> rows = application.admin().failed(0, 1000).stream().map(FailedRow::row).toList();
		rows.forEach((row) -> this.failed.putIfAbsent(row, number));
		this.failed.keySet().retainAll(rows);
		boolean hasFailed = this.failed.containsValue(number);
		if (!hasFailed) {
			this.sent.merge(key.id(), number, Math::max);
		}
		if (isSchedule) {
			boolean isStored = application.delayQueue()
				.find(key)
				.map(MessageSnapshot::headers)
				.filter((headers) -> Integer.toString(number).equals(headers.get(NUMBER)))
				.isPresent();
			long unchanged = application.bean(JdbcOutbox.class).counts().unchanged() - before;
			assertThat((isStored ? 1 : 0) + (hasFailed ? 1 : 0) + (waits ? unchanged : 0))
				.as("a message is stored (%s), or the row has failed (%s), or a message waits (%s) and this is counted (%d)",
						isStored, hasFailed, waits, unchanged)
				.isEqualTo(1);
		}
	}

	/** Delivers a waiting message, or ends one that is being handled. */
	private void deliver(OutboxApplication application, MessageKey key, String fate) {
		Listener listener = application.bean(Listener.class);
		String name = nameOf(key.id(), key.group());
		CountDownLatch running = listener.running.remove(name);
		if (running != null) {
			this.steps.add("end " + key);
			running.countDown();
			return;
		}
		if (application.delayQueue().find(key).filter((one) -> one.state() == MessageState.SCHEDULED).isEmpty()) {
			return;
		}
		this.steps.add(fate + " " + key);
		listener.fates.put(name, fate);
		application.delayQueue().reschedule(key, Duration.ZERO);
		await().until(() -> switch (fate) {
			case "fails" ->
				application.delayQueue().find(key).filter((one) -> one.state() == MessageState.DEAD).isPresent();
			case "runs" -> listener.running.containsKey(name);
			default -> application.delayQueue().find(key).isEmpty();
		});
	}

	private void retry(OutboxApplication application, boolean removes) {
		List<FailedRow> rows = application.admin().failed(0, 1000);
		if (rows.isEmpty()) {
			return;
		}
		FailedRow row = rows.get(0);
		int number = this.failed.get(row.row());
		if (removes) {
			this.steps.add("remove the row of " + number);
			assertThat(application.admin().remove(row.row())).isTrue();
			return;
		}
		this.steps.add("retry the row of " + number);
		boolean isOvertaken = this.sent.getOrDefault(row.key().id(), -1) > number;
		send(application, number, new MessageKey(QUEUE, row.key().id(), row.key().group()),
				row.call().equals("SCHEDULE") && !isOvertaken,
				() -> assertThat(application.admin().retry(row.row())).as("retried").isEqualTo(!isOvertaken));
	}

}
