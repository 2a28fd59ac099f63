package io.delayqueue.sample.orders;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;

import javax.sql.DataSource;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.outbox.DelayQueueOutbox;
import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.config.FixedDelayTask;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "sample.orders.reconcile-interval=1h", "sample.orders.settled-after=200ms" })
@Tag("slow")
@Import(TestRedis.class)
class OrderReconcilerIntegrationTests {

	private static final Duration INTERVAL = Duration.ofHours(1);

	@LocalServerPort
	private int port;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private OrderStore store;

	@Autowired
	private OrderReconciler reconciler;

	@Autowired
	private ScheduledTaskHolder scheduled;

	@Autowired
	private StringRedisTemplate redis;

	private SampleClient client;

	private final String id = "o:" + UUID.randomUUID();

	private final String user = "user-" + UUID.randomUUID();

	/**
	 * Waits until the scheduler has run the reconciler at the start. The next run is an
	 * hour later: from now on, the reconciler runs only where a test calls it.
	 */
	@BeforeEach
	void connect() {
		this.client = new SampleClient(this.port);
		Instant soon = Instant.now().plus(INTERVAL.dividedBy(2));
		await().until(() -> scheduledReconciler().nextExecution(), (next) -> next != null && next.isAfter(soon));
	}

	@Test
	void withoutTheProfileThereIsNoDatabase(@Autowired ApplicationContext context) {
		assertThat(context.getBeanNamesForType(DataSource.class)).isEmpty();
		assertThat(context.getBeanNamesForType(DelayQueueOutbox.class)).isEmpty();
	}

	@Test
	void theReconcilerRunsAtItsInterval() {
		assertThat(scheduledReconciler().getTask()).isInstanceOfSatisfying(FixedDelayTask.class,
				(task) -> assertThat(task.getIntervalDuration()).isEqualTo(INTERVAL));
	}

	private ScheduledTask scheduledReconciler() {
		return this.scheduled.getScheduledTasks()
			.stream()
			.filter((task) -> task.toString().equals(OrderReconciler.class.getName() + ".run"))
			.findAny()
			.orElseThrow();
	}

	@Test
	void anUnpaidOrderWithoutMessageIsScheduledAgainForTheSameInstant() {
		Answer placed = this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5));
		assertThat(this.delayQueue.cancel(OrderTimeouts.QUEUE, this.id)).isEqualTo(CancelResult.CANCELLED);
		this.reconciler.run();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id)).map(MessageSnapshot::dueAt)
			.contains(placed.instant("dueAt"));
	}

	@Test
	void anOrderWhoseInstanceDiedBeforeSchedulingIsCancelledInTime() {
		this.store.place(this.id, this.user, Duration.ofMillis(500), "request");
		assertThat(find().status()).isEqualTo(404);
		awaitWithReconciler(() -> find().text("closedBy").equals("TIMEOUT"));
		assertThat(find().instant("closedAt")).isAfterOrEqualTo(find().instant("dueAt"));
	}

	@Test
	void aRepeatOfAnUnansweredRequestReturnsTheOrderOnce() {
		Order stored = this.store.place(this.id, this.user, Duration.ofMinutes(5), "request").order();
		Answer other = this.client.placeOrder(this.id, "another", Duration.ofMinutes(5));
		assertThat(other.status()).isEqualTo(409);
		assertThat(other.text("type")).endsWith(":duplicate-order");
		assertIsPlacedOnce(stored);
	}

	@Test
	void aRepeatAfterTheReconcilerHasFinishedTheRequestReturnsTheOrderOnce() {
		Order stored = this.store.place(this.id, this.user, Duration.ofMinutes(5), "request").order();
		awaitWithReconciler(() -> find().status() == 200);
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id)).isPresent();
		assertIsPlacedOnce(stored);
	}

	@Test
	void aSlowRequestDetectsThatAnotherRequestOwnsItsOrder() {
		this.store.place(this.id, this.user, Duration.ofMinutes(5), "slow");
		awaitWithReconciler(() -> find().status() == 200);
		assertThat(this.store.accept(this.id, "slow", true)).isFalse();
		this.store.withdraw(this.id, "slow");
		assertThat(find().text("status")).isEqualTo("UNPAID");
	}

	@Test
	void anUnfinishedRequestIsWithdrawnForGoodIfTheQuotaIsUsedUp() {
		useUpQuota();
		this.store.place(this.id, this.user, Duration.ofMinutes(5), "slow");
		awaitWithReconciler(() -> !this.store.isOpen(this.id));
		this.client.post("/orders/" + this.id + ":0/pay");
		assertThat(this.store.accept(this.id, "slow", true)).isFalse();
		assertThat(find().status()).isEqualTo(404);
		assertThat(this.client.get("/orders?userId=" + this.user).body().get("total").asInt()).isEqualTo(3);
		assertThat(this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5)).status()).isEqualTo(201);
	}

	@Test
	void anAcceptedOrderIsKeptEvenIfItsSlotWasTakenByAnother() {
		useUpQuota();
		this.delayQueue.cancel(OrderTimeouts.QUEUE, this.id + ":1");
		assertThat(this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5)).status()).isEqualTo(201);
		this.reconciler.run();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id + ":1")).map(MessageSnapshot::state)
			.hasValue(MessageState.FINISHED);
		assertThat(this.client.get("/orders/" + this.id + ":1").text("status")).isEqualTo("UNPAID");
		this.client.post("/orders/" + this.id + ":2/pay");
		this.reconciler.run();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id + ":1")).map(MessageSnapshot::state)
			.hasValue(MessageState.SCHEDULED);
	}

	@Test
	void theLeftoverMessageOfAClosedOrderFreesItsSlot() {
		useUpQuota();
		String paid = this.id + ":1";
		Order unpaid = Objects.requireNonNull(this.store.find(paid));
		this.client.post("/orders/" + paid + "/pay");
		this.delayQueue.schedule(OrderTimeouts.of(unpaid));
		assertThat(this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5)).text("type"))
			.endsWith(":quota-exceeded");
		awaitWithReconciler(() -> this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5)).status() == 201);
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, paid)).map(MessageSnapshot::state)
			.hasValue(MessageState.FINISHED);
		assertThat(this.client.get("/orders/" + paid).text("status")).isEqualTo("PAID");
	}

	@Test
	void theLeftoverMessageOfARemovedOrderFreesItsSlot() {
		useUpQuota();
		this.client.post("/orders/" + this.id + ":1/pay");
		Order gone = this.store.place(this.id, this.user, Duration.ofMinutes(5), "first").order();
		this.store.withdraw(this.id, "first");
		this.delayQueue.schedule(OrderTimeouts.of(gone));
		assertThat(this.store.accept(this.id, "first", true)).isFalse();
		assertThat(this.client.placeOrder(this.id + ":3", this.user, Duration.ofMinutes(5)).text("type"))
			.endsWith(":quota-exceeded");
		awaitWithReconciler(
				() -> this.client.placeOrder(this.id + ":3", this.user, Duration.ofMinutes(5)).status() == 201);
	}

	@Test
	void closedOrdersAreRemovedAfterSevenDays() {
		this.client.placeOrder(this.id + ":old", this.user, Duration.ofMinutes(5));
		this.client.placeOrder(this.id + ":young", this.user, Duration.ofMinutes(5));
		this.client.post("/orders/" + this.id + ":old/pay");
		this.client.post("/orders/" + this.id + ":young/pay");
		age(this.id + ":old", Duration.ofDays(7));
		age(this.id + ":young", Duration.ofDays(7).minusMinutes(1));
		this.reconciler.run();
		assertThat(this.client.get("/orders/" + this.id + ":old").status()).isEqualTo(404);
		assertThat(this.client.get("/orders/" + this.id + ":young").status()).isEqualTo(200);
		for (String query : new String[] { "userId=" + this.user, "userId=" + this.user + "&status=PAID" }) {
			Answer left = this.client.get("/orders?" + query);
			assertThat(left.body().get("total").asInt()).isEqualTo(1);
			assertThat(left.body().get("orders").get(0).get("id").asString()).isEqualTo(this.id + ":young");
		}
		assertThat(this.client.placeOrder(this.id + ":old", this.user, Duration.ofMinutes(5)).status()).isEqualTo(201);
	}

	@Test
	void aRunReachesEveryUnpaidOrderPageByPage() {
		for (int i = 0; i < 450; i++) {
			String order = this.id + ":" + i;
			this.store.place(order, this.user + ":" + i, Duration.ofMinutes(5), "request");
			this.store.accept(order, "request", true);
		}
		this.reconciler.run();
		for (int i = 0; i < 450; i++) {
			assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id + ":" + i)).isPresent();
		}
	}

	/** Runs the reconciler before each check of the condition. */
	private void awaitWithReconciler(Callable<Boolean> condition) {
		await().until(() -> {
			this.reconciler.run();
			return condition.call();
		});
	}

	private void useUpQuota() {
		for (int i = 0; i < 3; i++) {
			assertThat(this.client.placeOrder(this.id + ":" + i, this.user, Duration.ofMinutes(5)).status())
				.isEqualTo(201);
		}
	}

	private void assertIsPlacedOnce(Order stored) {
		Answer repeated = this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5));
		assertThat(repeated.status()).isEqualTo(201);
		assertThat(repeated.instant("dueAt")).isEqualTo(stored.dueAt());
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, this.id)).isPresent();
		assertThat(this.client.placeOrder(this.id, this.user, Duration.ofMinutes(5)).text("type"))
			.endsWith(":duplicate-order");
	}

	private Answer find() {
		return this.client.get("/orders/" + this.id);
	}

	private void age(String order, Duration by) {
		String closedAt = Long.toString(Instant.now().minus(by).toEpochMilli());
		this.redis.opsForHash().put("sample:{orders}:order:" + order, "closedAt", closedAt);
		this.redis.opsForZSet().add("sample:{orders}:closed", order, Double.parseDouble(closedAt));
	}

}
