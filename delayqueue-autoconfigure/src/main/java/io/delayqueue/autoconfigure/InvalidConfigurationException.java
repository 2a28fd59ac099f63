package io.delayqueue.autoconfigure;

import java.io.Serializable;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;

/**
 * Thrown if {@code delayqueue.*} properties are invalid. The exception prevents the start
 * of the application, and reports all faults at once.
 */
final class InvalidConfigurationException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final List<Fault> faults;

	InvalidConfigurationException(List<Fault> faults) {
		super(message(faults), null, null, null);
		this.faults = List.copyOf(faults);
	}

	private static String message(List<Fault> faults) {
		return faults.stream()
			.map((fault) -> System.lineSeparator() + "- " + fault + ". " + fault.fix() + ".")
			.collect(Collectors.joining("", faults.size() + " fault(s) in the configuration of delayed messages:", ""));
	}

	List<Fault> faults() {
		return this.faults;
	}

	/**
	 * A fault of a property.
	 *
	 * @param property the name of the property
	 * @param value the value of the property, as written in a properties file
	 * @param problem what is wrong with the value
	 * @param fix how to correct the property
	 */
	record Fault(String property, String value, String problem, String fix) implements Serializable {

		private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}:]+)");

		/**
		 * Returns a fault of the bound value of a property. If a placeholder in the value
		 * could not be resolved, only this is the problem.
		 */
		static Fault of(String property, String value, String problem, String fix) {
			Matcher unresolved = PLACEHOLDER.matcher(value);
			return unresolved.find()
					? new Fault(property, value, "there is no property '" + unresolved.group(1) + "'",
							"Set " + unresolved.group(1) + ", or write another value of " + property)
					: new Fault(property, value, problem, fix);
		}

		/** Returns the property, its value and the problem, without a full stop. */
		@Override
		public String toString() {
			return this.property + " is '" + this.value + "' but " + this.problem;
		}

	}

}
