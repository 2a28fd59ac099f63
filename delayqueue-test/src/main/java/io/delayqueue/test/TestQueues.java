package io.delayqueue.test;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.admin.DelayQueueAdmin;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The queues of the application under test. Safe for use by several threads.
 */
public final class TestQueues implements AopInfrastructureBean {

	private final DelayQueueOperations operations;

	private final DelayQueueAdmin admin;

	private final Deliveries deliveries;

	private final DelayQueueTime time;

	TestQueues(DelayQueueOperations operations, DelayQueueAdmin admin, Deliveries deliveries, DelayQueueTime time) {
		this.operations = operations;
		this.admin = admin;
		this.deliveries = deliveries;
		this.time = time;
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

	DelayQueueTime time() {
		return this.time;
	}

}
