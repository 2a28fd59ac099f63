package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DurationText;

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
			faults
				.add(name + " is " + text(value) + " but must be from " + text(this.least) + " to " + text(this.most));
		}
	}

	private static String text(Object value) {
		return (value instanceof Duration duration) ? DurationText.of(duration) : value.toString();
	}

}
