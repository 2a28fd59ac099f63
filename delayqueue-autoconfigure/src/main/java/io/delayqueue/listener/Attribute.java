package io.delayqueue.listener;

import java.util.List;
import java.util.stream.Stream;

/**
 * An attribute as it was written and as it resolved.
 *
 * @param name its name
 * @param written as it was written
 * @param value as it resolved, without blanks around it
 * @param faults where it is said if it is wrong
 */
record Attribute(String name, String written, String value, Faults.OfMethod faults) {

	boolean isEmpty() {
		return this.value.isEmpty();
	}

	/** The values of a list, each as an attribute of its own. */
	List<Attribute> split() {
		return Stream.of(this.value.split(","))
			.map((element) -> new Attribute(this.name, this.written, element.trim(), this.faults))
			.toList();
	}

	void isWrong(String problem, String fix) {
		this.faults.attribute(this.name, this.value,
				problem + (this.written.equals(this.value) ? "" : " (written as '" + this.written + "')"), fix);
	}

}
