package io.delayqueue.listener;

import java.util.List;
import java.util.stream.Stream;

/**
 * An attribute of an annotation, as written and as resolved.
 *
 * @param name the attribute's name
 * @param written the text in the annotation
 * @param value the resolved text, trimmed
 * @param faults collects the faults of the method
 */
record Attribute(String name, String written, String value, Faults.OfMethod faults) {

	boolean isEmpty() {
		return this.value.isEmpty();
	}

	/** The elements of a comma-separated list, each as a separate attribute. */
	List<Attribute> split() {
		return Stream.of(this.value.split(","))
			.map((element) -> new Attribute(this.name, this.written, element.trim(), this.faults))
			.toList();
	}

	void reject(String problem, String fix) {
		this.faults.attribute(this.name, this.value,
				problem + (this.written.equals(this.value) ? "" : " (written as '" + this.written + "')"), fix);
	}

}
