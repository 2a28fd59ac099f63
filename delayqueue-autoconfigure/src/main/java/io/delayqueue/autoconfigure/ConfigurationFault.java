package io.delayqueue.autoconfigure;

import java.io.Serializable;

/**
 * Invalid property.
 *
 * @param property the name of the property
 * @param value its value, as written in a properties file
 * @param problem what is wrong with the value
 * @param fix how to correct it
 */
record ConfigurationFault(String property, String value, String problem, String fix) implements Serializable {

	/** Returns the property, its value and the problem, without a full stop. */
	@Override
	public String toString() {
		return this.property + " is '" + this.value + "' but " + this.problem;
	}

}
