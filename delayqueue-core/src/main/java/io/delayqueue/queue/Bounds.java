package io.delayqueue.queue;

import java.util.List;

/**
 * The bounds of a setting.
 *
 * @param least the least allowed value
 * @param most the greatest allowed value
 * @param <T> the type of the setting
 */
public record Bounds<T extends Comparable<T>>(T least, T most) {

	/**
	 * Whether a value is within the bounds.
	 * @param value the value
	 * @return {@code true} if it is one of the bounds or between them
	 */
	public boolean contains(T value) {
		return value.compareTo(this.least) >= 0 && value.compareTo(this.most) <= 0;
	}

	/**
	 * Adds a fault if a value is out of bounds.
	 * @param faults the list of faults to add to
	 * @param name the setting's name
	 * @param value its value
	 */
	public void check(List<String> faults, String name, T value) {
		if (!contains(value)) {
			faults.add(name + " is " + value + " but must be from " + this.least + " to " + this.most);
		}
	}

}
