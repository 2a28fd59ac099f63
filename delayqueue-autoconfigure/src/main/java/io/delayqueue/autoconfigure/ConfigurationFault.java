package io.delayqueue.autoconfigure;

import java.io.Serializable;

/**
 * One property that cannot be used as it is.
 *
 * @param property its name
 * @param value its value, as one would write it
 * @param problem what is wrong with the value
 * @param fix what to do
 */
record ConfigurationFault(String property, String value, String problem, String fix) implements Serializable {

	/** Where it is and what is wrong, without a full stop. */
	@Override
	public String toString() {
		return this.property + " is '" + this.value + "' but " + this.problem;
	}

}
