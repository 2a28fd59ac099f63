package io.delayqueue.listener;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;
import org.jspecify.annotations.Nullable;

/**
 * Methods annotated with {@link io.delayqueue.DelayedListener} cannot become listeners.
 * Stops the start of the application, with all faults of all methods at once.
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
	 * What is wrong.
	 * @return the faults, at least one
	 */
	public List<Fault> faults() {
		return this.faults;
	}

	/**
	 * One thing that is wrong with one method.
	 *
	 * @param bean the name of the bean
	 * @param method the class, the method and its parameter types
	 * @param attribute the attribute of the annotation, or {@code null} if the method
	 * itself is at fault
	 * @param value the attribute's value, or {@code null} if there is no attribute
	 * @param problem what is wrong with it
	 * @param fix what to do
	 */
	public record Fault(String bean, String method, @Nullable String attribute, @Nullable String value, String problem,
			String fix) implements Serializable {

		/**
		 * Where it is and what is wrong.
		 * @return everything but the fix, without a full stop
		 */
		@Override
		public String toString() {
			String subject = (this.attribute != null) ? this.attribute + " '" + this.value + "'" : "the method";
			return this.method + " of bean '" + this.bean + "': " + subject + " " + this.problem;
		}

	}

}
