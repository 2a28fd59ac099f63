package io.delayqueue.test.redis;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One line of a Redis configuration file.
 *
 * @param name the directive
 * @param values the arguments of the directive
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

	/** Returns the line as it is written in redis.conf, with quoted arguments. */
	String line() {
		return this.values.stream()
			.map((value) -> '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
			.collect(Collectors.joining(" ", this.name + " ", ""));
	}

}
