package io.delayqueue.store;

import java.util.List;

/**
 * Why delayed messages cannot work with the Redis behind the connections, as it was found
 * the last time that it was looked at. Safe for use by several threads.
 */
public final class ServerFaults {

	private volatile List<String> faults = List.of();

	/**
	 * What is wrong.
	 * @return a sentence or two for each fault, with what to do about it; empty if none
	 * is known
	 */
	public List<String> faults() {
		return this.faults;
	}

	/**
	 * Remembers what was found, instead of what was found before.
	 * @param findings all findings, of which only the faults count
	 * @return whether the faults are others than before
	 */
	public boolean found(List<Finding> findings) {
		List<String> now = findings.stream().filter(Finding::isFault).map(Finding::toString).toList();
		boolean news = !now.equals(this.faults);
		this.faults = now;
		return news;
	}

}
