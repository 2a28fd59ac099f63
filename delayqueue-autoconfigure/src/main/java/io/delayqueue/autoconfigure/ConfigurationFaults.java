package io.delayqueue.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.delayqueue.autoconfigure.InvalidConfigurationException.Fault;
import io.delayqueue.queue.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * Collects the faults of all properties. Not safe for use by several threads.
 */
final class ConfigurationFaults {

	private final List<Fault> faults;

	ConfigurationFaults(Collection<Fault> known) {
		this.faults = new ArrayList<>(known);
	}

	void add(String property, Object value, String problem, String fix) {
		this.faults.add(Fault.of(property, PropertyText.of(value), problem, fix));
	}

	/**
	 * Checks that the value of a property is within its bounds, and adds a fault
	 * otherwise.
	 * @param property the name of the property
	 * @param value the value, {@code null} if the property is not set
	 * @param bounds the bounds of the value
	 * @return whether the value is set and within its bounds
	 */
	<T extends Comparable<T>> boolean check(String property, @Nullable T value, Bounds<T> bounds) {
		if (value == null) {
			return false;
		}
		if (bounds.contains(value)) {
			return true;
		}
		String range = "from " + PropertyText.of(bounds.least()) + " to " + PropertyText.of(bounds.most());
		add(property, value, "must be " + range, "Set " + property + " to a value " + range);
		return false;
	}

	/**
	 * Throws an exception that contains all collected faults, if there are any.
	 * @throws InvalidConfigurationException if there are faults
	 */
	void throwIfAny() {
		if (!this.faults.isEmpty()) {
			throw new InvalidConfigurationException(this.faults);
		}
	}

}
