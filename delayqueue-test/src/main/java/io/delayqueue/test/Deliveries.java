package io.delayqueue.test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Keeps the deliveries to the listeners, and the faults that tests inject into the next
 * deliveries.
 */
final class Deliveries implements AopInfrastructureBean {

	private final Map<String, List<RecordedDelivery>> recorded = new ConcurrentHashMap<>();

	private final Map<String, Faults> faults = new ConcurrentHashMap<>();

	void add(RecordedDelivery delivery) {
		this.recorded.computeIfAbsent(delivery.queue(), (queue) -> new CopyOnWriteArrayList<>()).add(delivery);
	}

	List<RecordedDelivery> of(String queue) {
		return List.copyOf(this.recorded.getOrDefault(queue, List.of()));
	}

	Faults faults(String queue) {
		return this.faults.computeIfAbsent(queue, (name) -> new Faults());
	}

	void clear() {
		this.recorded.clear();
		this.faults.clear();
	}

}
