package io.delayqueue.process;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Lets handlers wait until they are told to go on.
 */
final class Gates {

	private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

	void await(String name) throws InterruptedException {
		gate(name).await();
	}

	boolean isOpen(String name) {
		return gate(name).getCount() == 0;
	}

	void open(String name) {
		gate(name).countDown();
	}

	private CountDownLatch gate(String name) {
		return this.gates.computeIfAbsent(name, (absent) -> new CountDownLatch(1));
	}

}
