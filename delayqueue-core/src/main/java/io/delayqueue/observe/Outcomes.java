package io.delayqueue.observe;

import io.micrometer.common.KeyValue;

/**
 * Combined outcome of the messages of a span.
 */
final class Outcomes {

	private static final String MIXED = "mixed";

	private String value = KeyValue.NONE_VALUE;

	void add(Enum<?> outcome) {
		String word = DelayQueueMeters.value(outcome);
		this.value = (this.value.equals(KeyValue.NONE_VALUE) || this.value.equals(word)) ? word : MIXED;
	}

	@Override
	public String toString() {
		return this.value;
	}

}
