package io.delayqueue.test;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.delayqueue.DeadLetter;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A queue of the application under test: to assert what it holds and what its listener
 * was given, and to let deliveries fail. AssertJ's {@code assertThat(queue)} begins
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
	 * The name.
	 * @return the queue's name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * What the listener was given in this test, in this order.
	 * @return a copy
	 */
	public List<RecordedDelivery> deliveries() {
		return this.queues.deliveries().of(this.name);
	}

	/**
	 * Lets the next deliveries fail with an {@link InjectedFailureException} before the
	 * listener is called: all that follows a failure is as if the listener had thrown it.
	 * A batch is one delivery here.
	 * @param times how many, 1 or more
	 */
	public void failNext(int times) {
		failNext(times, () -> new InjectedFailureException(this.name));
	}

	/**
	 * Lets the next deliveries fail, as {@link #failNext(int)} does.
	 * @param times how many, 1 or more
	 * @param failure makes what is thrown
	 */
	public void failNext(int times, Supplier<? extends Throwable> failure) {
		Assert.isTrue(times > 0, () -> "times is " + times + " but must be 1 or more");
		this.queues.deliveries().faults(this.name).failNext(times, failure);
	}

	/**
	 * Takes the next messages away from their listener just before it is called, as if
	 * its process had been cut off from Redis for longer than the visibility timeout.
	 * Each is delivered again, and what comes of the first delivery does not count: so
	 * that a test can see that a repetition does no harm.
	 * @param times how many, 1 or more
	 */
	public void loseNextLeases(int times) {
		Assert.isTrue(times > 0, () -> "times is " + times + " but must be 1 or more");
		this.queues.deliveries().faults(this.name).loseNextLeases(times);
	}

	@Override
	public QueueAssert assertThat() {
		return new QueueAssert(this);
	}

	Optional<MessageSnapshot> find(String id) {
		return this.queues.operations().find(this.name, id);
	}

	Optional<DeadLetter> deadLetter(String id, @Nullable String group) {
		MessageKey key = MessageKey.of(this.name, id);
		return this.queues.admin().deadLetter((group != null) ? key.inGroup(group) : key);
	}

	DelayQueueTime time() {
		return this.queues.time();
	}

	@Override
	public String toString() {
		return "queue '" + this.name + "'";
	}

}
