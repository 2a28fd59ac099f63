package io.delayqueue.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

import io.delayqueue.HoldException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.SweepSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.awaitility.Awaitility.await;

/**
 * The queue "orders" on the shared Redis, which is held, and whose engines and consumers
 * end after each test.
 */
final class HeldOrders extends ConsumedQueue {

	/** A hold that ends after each test. */
	static final Duration LONG = Duration.ofMinutes(30);

	/** The exceptions that the handlers of some messages throw, by id. */
	private final Map<String, HoldException> thrown = new ConcurrentHashMap<>();

	private final List<QueueHold> observed = new CopyOnWriteArrayList<>();

	private final List<String> ended = new CopyOnWriteArrayList<>();

	private final Semaphore begun = new Semaphore(0);

	private volatile CountDownLatch go = new CountDownLatch(0);

	private final ExecutorService single = Executors.newSingleThreadExecutor();

	private SweepSettings sweeper = new SweepSettings(Duration.ofSeconds(1), 200, 0);

	HeldOrders() {
		super("orders", "hold");
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.go.countDown();
		super.afterEach(context);
		this.single.shutdown();
	}

	/** The exceptions that the handlers of some messages throw, by id. */
	Map<String, HoldException> thrown() {
		return this.thrown;
	}

	/** The holds that were observed. */
	List<QueueHold> observed() {
		return this.observed;
	}

	/** The ends of holds that were observed: queue and group. */
	List<String> ended() {
		return this.ended;
	}

	/** One thread for handlers. */
	Executor single() {
		return this.single;
	}

	/** Sets how often engines that are built from now on sweep. */
	void sweeper(SweepSettings sweeper) {
		this.sweeper = sweeper;
	}

	/** Lets handlers wait from now on. */
	void blockHandlers() {
		this.go = new CountDownLatch(1);
	}

	/** Ends the wait of all handlers. */
	void unblockHandlers() {
		this.go.countDown();
	}

	/** Waits until a handler has begun. */
	void awaitHandler() {
		this.begun.acquireUninterruptibly();
	}

	/** An engine that ends after the test. */
	DelayQueueEngine engine(int partitions, GroupSettings groups) {
		return engines().engine(prefix(), (queue) -> TestEngines.settings(queue, partitions, groups, 1000, 10),
				(builder) -> builder.sweeper(this.sweeper, true).observers(List.of(new Holds())));
	}

	/** An engine with a consumer that records the messages. */
	DelayQueueEngine consuming(int partitions, GroupSettings groups) {
		DelayQueueEngine engine = engine(partitions, groups);
		consume(engine, groups, 10, null);
		return engine;
	}

	QueueConsumer consume(DelayQueueEngine engine, GroupSettings groups, int concurrency, @Nullable Executor executor) {
		QueueConsumer consumer = engine.consumers()
			.create(TestEngines.settings("orders", engine.queues().settings("orders").partitions(), groups, 1000,
					concurrency), this::handle, null, executor);
		return engines().start(consumer);
	}

	private @Nullable CompletionStage<?> handle(Delivery delivery) throws Exception {
		this.begun.release();
		this.go.await();
		HoldException hold = this.thrown.get(delivery.id());
		if (hold != null) {
			throw hold;
		}
		handled().add(delivery.id());
		return null;
	}

	static void schedule(DelayQueueEngine engine, String id, @Nullable String group) {
		ScheduleRequest request = ScheduleRequest.to("orders").id(id).payload("p").delay(Duration.ZERO);
		engine.operations().schedule((group != null) ? request.group(group) : request);
	}

	/** Waits until another queue has delivered a message that was due in a second. */
	void awaitSweeps() {
		DelayQueueEngine engine = engines().first();
		CountDownLatch delivered = new CountDownLatch(1);
		QueueConsumer other = engine.consumers()
			.create(TestEngines.settings("other", engine.queues().settings("orders").partitions(), GroupSettings.NONE,
					1000, 1), (delivery) -> {
						delivered.countDown();
						return null;
					}, null, null);
		other.start();
		engine.operations().schedule(ScheduleRequest.to("other").payload("p").delay(Duration.ofSeconds(1)));
		await().until(() -> delivered.getCount() == 0);
		other.stop(Duration.ofSeconds(10));
	}

	long pending(String queue) {
		return engines().first().directory().read(queue).orElseThrow().partitions().stream().mapToLong((partition) -> {
			var pending = engines().template()
				.opsForStream()
				.pending(prefix() + ":{" + partition + "}:ready", "consumers");
			return (pending != null) ? pending.getTotalPendingMessages() : 0;
		}).sum();
	}

	/** Records the holds that are observed. */
	private final class Holds implements QueueObserver {

		@Override
		public void held(QueueHold hold) {
			HeldOrders.this.observed.add(hold);
		}

		@Override
		public void holdEnded(String queue, @Nullable String group) {
			HeldOrders.this.ended.add(queue + " " + group);
		}

	}

}
