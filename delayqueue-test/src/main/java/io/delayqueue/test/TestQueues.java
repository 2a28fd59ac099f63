package io.delayqueue.test;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The queues of the application under test. Safe for use by several threads.
 */
public final class TestQueues implements AopInfrastructureBean {

	private final DelayQueueOperations operations;

	private final DelayQueueAdmin admin;

	private final Deliveries deliveries;

	private final DelayQueueTime time;

	private final DelayedListenerRegistry listeners;

	TestQueues(DelayQueueOperations operations, DelayQueueAdmin admin, Deliveries deliveries, DelayQueueTime time,
			DelayedListenerRegistry listeners) {
		this.operations = operations;
		this.admin = admin;
		this.deliveries = deliveries;
		this.time = time;
		this.listeners = listeners;
	}

	/**
	 * Returns the queue with the given name.
	 * @param name the queue's name
	 * @return the queue, even if the application has not used it yet
	 */
	public TestQueue queue(String name) {
		return new TestQueue(name, this);
	}

	DelayQueueOperations operations() {
		return this.operations;
	}

	DelayQueueAdmin admin() {
		return this.admin;
	}

	Deliveries deliveries() {
		return this.deliveries;
	}

	/** The queues that have a listener in the application under test. */
	Set<String> withListener() {
		return this.listeners.containers()
			.stream()
			.map(DelayedListenerContainer::queue)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	DelayQueueTime time() {
		return this.time;
	}

}
