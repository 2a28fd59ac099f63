package io.delayqueue.server;

import java.util.List;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The faults that the last check of the server found: the reasons why delayed messages
 * cannot work with the connected Redis. Safe for use by several threads.
 */
public final class ServerFaults implements AopInfrastructureBean {

	private volatile List<String> faults = List.of();

	/**
	 * Returns the faults of the last check.
	 * @return one or two sentences for each fault, including its solution; empty if no
	 * fault is known
	 */
	public List<String> faults() {
		return this.faults;
	}

	/**
	 * Replaces the faults by the faults of a new check.
	 * @param findings all findings; only the faults are stored
	 * @return whether the faults have changed
	 */
	public boolean found(List<Finding> findings) {
		List<String> now = findings.stream().filter(Finding::isFault).map(Finding::toString).toList();
		boolean changed = !now.equals(this.faults);
		this.faults = now;
		return changed;
	}

}
