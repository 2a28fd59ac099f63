package io.delayqueue.queue;

import java.util.List;

/**
 * The least and the greatest allowed value of a setting.
 *
 * @param least the least allowed value
 * @param most the greatest allowed value
 * @param <T> the type of the setting
 */
public record Bounds<T extends Comparable<T>>(T least, T most) {

	/**
	 * Whether a value is within the bounds.
	 * @param value the value
	 * @return {@code true} if the value is one of the bounds or between them
	 */
	public boolean contains(T value) {
		return value.compareTo(this.least) >= 0 && value.compareTo(this.most) <= 0;
	}

	/**
	 * Adds an error message if a value is out of bounds.
	 * @param faults the list to which the message is added
	 * @param name the setting's name
	 * @param value the value to check
	 */
	public void check(List<String> faults, String name, T value) {
		if (!contains(value)) {
			faults.add(name + " is " + value + " but must be from " + this.least + " to " + this.most);
		}
	}

}
