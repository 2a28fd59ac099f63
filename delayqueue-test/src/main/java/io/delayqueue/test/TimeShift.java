package io.delayqueue.test;

import java.util.concurrent.atomic.AtomicLong;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The time by which a test has moved the clock of the library ahead of the clock of
 * Redis.
 */
final class TimeShift implements AopInfrastructureBean {

	private final AtomicLong millis = new AtomicLong();

	long millis() {
		return this.millis.get();
	}

	void add(long millis) {
		this.millis.addAndGet(millis);
	}

	void reset() {
		this.millis.set(0);
	}

}
