package io.delayqueue.test.redis;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One line of a Redis configuration file.
 *
 * @param name the directive
 * @param values its arguments
 */
record Setting(String name, List<String> values) {

	Setting {
		if (name.isBlank()) {
			throw new IllegalArgumentException("name must not be blank");
		}
		values = List.copyOf(values);
	}

	static Setting of(String name, Object... values) {
		return new Setting(name, List.of(values).stream().map(Object::toString).toList());
	}

	/** The line in the quoting of redis.conf. */
	String line() {
		return this.values.stream()
			.map((value) -> '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
			.collect(Collectors.joining(" ", this.name + " ", ""));
	}

}
