package io.delayqueue.listener;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;
import org.jspecify.annotations.Nullable;

/**
 * Methods annotated with {@link io.delayqueue.DelayedListener} are invalid. Fails the
 * start of the application and reports all faults of all methods at once.
 */
public final class DelayedListenerDefinitionException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final List<Fault> faults;

	DelayedListenerDefinitionException(Collection<Fault> faults) {
		super(message(faults), null, null, null);
		this.faults = List.copyOf(faults);
	}

	private static String message(Collection<Fault> faults) {
		return faults.stream()
			.map((fault) -> System.lineSeparator() + "- " + fault + ". " + fault.fix() + ".")
			.collect(Collectors.joining("", faults.size() + " fault(s) in @DelayedListener methods:", ""));
	}

	/**
	 * Returns the faults.
	 * @return one fault or more
	 */
	public List<Fault> faults() {
		return this.faults;
	}

	/**
	 * A fault of one method.
	 *
	 * @param bean the name of the bean
	 * @param method the class, the method and its parameter types
	 * @param attribute the attribute of the annotation, {@code null} for a fault of the
	 * method itself
	 * @param value the attribute's value, {@code null} if there is no attribute
	 * @param problem what is wrong
	 * @param fix how to fix it
	 */
	public record Fault(String bean, String method, @Nullable String attribute, @Nullable String value, String problem,
			String fix) implements Serializable {

		/**
		 * Returns the location and the problem.
		 * @return the text of all components except the fix, without a full stop at the
		 * end
		 */
		@Override
		public String toString() {
			String subject = (this.attribute != null) ? this.attribute + " '" + this.value + "'" : "the method";
			return this.method + " of bean '" + this.bean + "': " + subject + " " + this.problem;
		}

	}

}
