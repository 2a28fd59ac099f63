package io.delayqueue.queue;

import java.util.List;

/**
 * The bounds of a setting.
 *
 * @param least the least value that is allowed
 * @param most the greatest value that is allowed
 * @param <T> the type of the setting
 */
public record Bounds<T extends Comparable<T>>(T least, T most) {

	/**
	 * Whether a value lies within.
	 * @param value the value
	 * @return whether it is one of the bounds or between them
	 */
	public boolean contains(T value) {
		return value.compareTo(this.least) >= 0 && value.compareTo(this.most) <= 0;
	}

	/**
	 * Adds a fault if a value does not lie within.
	 * @param faults what is known to be wrong already
	 * @param name the setting's name
	 * @param value its value
	 */
	public void check(List<String> faults, String name, T value) {
		if (!contains(value)) {
			faults.add(name + " is " + value + " but must be from " + this.least + " to " + this.most);
		}
	}

}
