package io.delayqueue.listener;

import java.util.LinkedHashSet;
import java.util.Set;

import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import org.jspecify.annotations.Nullable;

/**
 * Collects the faults of all listener methods, and keeps each fault only once. Not
 * thread-safe.
 */
final class Faults {

	private final Set<Fault> faults = new LinkedHashSet<>();

	OfMethod of(String bean, String method) {
		return new OfMethod(this, bean, method);
	}

	/**
	 * Throws if there are faults.
	 * @throws DelayedListenerDefinitionException with all faults, if there are any
	 */
	void throwIfAny() {
		if (!this.faults.isEmpty()) {
			throw new DelayedListenerDefinitionException(this.faults);
		}
	}

	/** The faults of one method. */
	record OfMethod(Faults all, String bean, String method) {

		void method(String problem, String fix) {
			add(null, null, problem, fix);
		}

		void attribute(String attribute, String value, String problem, String fix) {
			add(attribute, value, problem, fix);
		}

		private void add(@Nullable String attribute, @Nullable String value, String problem, String fix) {
			this.all.faults.add(new Fault(this.bean, this.method, attribute, value, problem, fix));
		}

	}

}
