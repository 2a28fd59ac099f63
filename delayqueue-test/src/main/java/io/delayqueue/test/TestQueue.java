package io.delayqueue.test;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.admin.DeadLetter;
import org.assertj.core.api.AssertProvider;

import org.springframework.util.Assert;

/**
 * A queue of the application under test, for assertions about its messages and
 * deliveries, and for injected failures. AssertJ's {@code assertThat(queue)} returns
 * {@link QueueAssert}. Safe for use by several threads.
 */
public final class TestQueue implements AssertProvider<QueueAssert> {

	private final String name;

	private final TestQueues queues;

	TestQueue(String name, TestQueues queues) {
		this.name = name;
		this.queues = queues;
	}

	/**
	 * Returns the name of the queue.
	 * @return the queue's name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the deliveries to the listener of the queue in this test, in the order in
	 * which they began.
	 * @return a copy of the list
	 */
	public List<RecordedDelivery> deliveries() {
		return this.queues.deliveries().of(this.name);
	}

	/**
	 * Makes the next deliveries of the queue fail with an
	 * {@link InjectedFailureException} before the listener is called. The effect is the
	 * same as if the listener had thrown the exception. A batch counts as one delivery.
	 * @param times the number of deliveries, 1 or more
	 */
	public void failNext(int times) {
		failNext(times, () -> new InjectedFailureException(this.name));
	}

	/**
	 * Makes the next deliveries of the queue fail with the given exceptions, as
	 * {@link #failNext(int)} does.
	 * @param times the number of deliveries, 1 or more
	 * @param failure creates the exception
	 */
	public void failNext(int times, Supplier<? extends Throwable> failure) {
		Assert.isTrue(times > 0, () -> "times is " + times + " but must be 1 or more");
		this.queues.deliveries().faults(this.name).failNext(times, failure);
	}

	/**
	 * Takes away the leases of the next delivered messages just before the listener is
	 * called, as if the process had lost its connection to Redis for longer than the
	 * visibility timeout. Each message is redelivered, and the result of the first
	 * delivery is ignored. A redelivery in a test can show that the listener is
	 * idempotent.
	 * @param times the number of messages, 1 or more
	 */
	public void loseNextLeases(int times) {
		Assert.isTrue(times > 0, () -> "times is " + times + " but must be 1 or more");
		this.queues.deliveries().faults(this.name).loseNextLeases(times);
	}

	@Override
	public QueueAssert assertThat() {
		return new QueueAssert(this);
	}

	Optional<MessageSnapshot> find(MessageKey key) {
		time().awaitSent();
		return this.queues.operations().find(key);
	}

	Optional<DeadLetter> deadLetter(MessageKey key) {
		return this.queues.admin().deadLetter(key);
	}

	/**
	 * Returns why the queue can have no deliveries, empty if it has a listener.
	 */
	String withoutListener() {
		Set<String> others = this.queues.withListener();
		return others.contains(this.name) ? ""
				: ": the queue has no listener in the application context of this test; the queues with one are "
						+ others;
	}

	DelayQueueTime time() {
		return this.queues.time();
	}

	@Override
	public String toString() {
		return "queue '" + this.name + "'";
	}

}
