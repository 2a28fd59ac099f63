package io.delayqueue.actuate;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.WebApplication.Answer;
import io.delayqueue.delivery.QueueConsumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application whose queues can be operated, with messages in every state.
 */
final class Operating implements AutoCloseable {

	private static final Duration HOUR = Duration.ofHours(1);

	private final CountDownLatch go = new CountDownLatch(1);

	final WebApplication application;

	final DelayQueueOperations delayQueue;

	final DelayQueueAdmin admin;

	final Operated told;

	private Operating(WebApplication application) {
		this.application = application;
		this.delayQueue = application.bean(DelayQueueOperations.class);
		this.admin = application.bean(DelayQueueAdmin.class);
		this.told = application.bean(Operated.class);
	}

	static Operating start(URI redis, String... properties) {
		List<String> all = new ArrayList<>(List.of("management.endpoint.delayqueue.access=unrestricted",
				"delayqueue.defaults.never-retried=java.lang.IllegalArgumentException",
				"delayqueue.queues.parted.partitions=3", "delayqueue.queues.wide.partitions=1024",
				"delayqueue.queues.limited.group.quota=1"));
		all.addAll(List.of(properties));
		return new Operating(WebApplication.start(redis, Operated.Told.class, all.toArray(String[]::new)));
	}

	/** Operates a queue. */
	Answer post(String queue, String action, String json) {
		return this.application.post("/actuator/delayqueue/" + queue + "/" + action, json.replace('\'', '"'));
	}

	/** Schedules messages for in an hour. */
	void schedule(String queue, String... ids) {
		for (String id : ids) {
			this.delayQueue.schedule(ScheduleRequest.to(queue).payload("p").id(id).delay(HOUR));
		}
	}

	/** Schedules a message of a group for in an hour. */
	void scheduleInGroup(String queue, String id, String group) {
		this.delayQueue.schedule(ScheduleRequest.to(queue).payload("p").id(id).group(group).delay(HOUR));
	}

	/** Gives a handler a message that it keeps until the end. */
	void keepInFlight(String queue, String id) {
		this.delayQueue.schedule(ScheduleRequest.to(queue).payload("p").id(id).delay(Duration.ZERO));
		this.application.consume(queue, 1, (delivery) -> {
			this.go.await();
			return null;
		});
		await().until(() -> state(queue, id) == MessageState.PENDING);
	}

	/** Lets messages die, those in {@code never} for another reason than the others. */
	void letDie(String queue, Set<String> never, List<String> ids) {
		for (String id : ids) {
			ScheduleRequest request = ScheduleRequest.to(queue).payload("p").id(id).delay(Duration.ZERO);
			this.delayQueue.schedule(queue.equals("limited") ? request.group("g") : request);
		}
		QueueConsumer consumer = this.application.consume(queue, 5, (delivery) -> {
			throw never.contains(delivery.id()) ? new IllegalArgumentException("never") : new IllegalStateException();
		});
		await().untilAsserted(() -> assertThat(dead(queue)).hasSize(ids.size()));
		consumer.stop(Duration.ofSeconds(5));
	}

	List<String> dead(String queue) {
		return this.admin.deadLetters(queue, null, 1000).deadLetters().stream().map((letter) -> letter.id()).toList();
	}

	MessageState state(String queue, String id) {
		return this.delayQueue.find(queue, id).map(MessageSnapshot::state).orElse(null);
	}

	Instant dueAt(String queue, String id) {
		return this.delayQueue.find(queue, id).orElseThrow().dueAt();
	}

	/**
	 * Checks that a parameter was refused, by a problem that says what would be right.
	 */
	static void assertInvalid(Answer answer, String parameter, String rule) {
		assertThat(answer.status()).as(answer.body()).isEqualTo(400);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:invalid-parameter");
		assertThat(answer.json().get("parameter").asString()).isEqualTo(parameter);
		assertThat(answer.json().get("detail").asString()).startsWith(parameter + " must be ").contains(rule);
	}

	static void assertProblem(Answer answer, int status, String type) {
		assertThat(answer.status()).as(answer.body()).isEqualTo(status);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:" + type);
		assertThat(answer.json().get("title").asString()).isNotEmpty();
	}

	@Override
	public void close() {
		this.go.countDown();
		this.application.close();
	}

}
