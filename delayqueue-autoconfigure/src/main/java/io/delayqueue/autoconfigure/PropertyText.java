package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/**
 * Formats a value as it is written in a properties file: a duration or a size in the
 * largest unit that represents it exactly.
 */
final class PropertyText {

	private static final List<ChronoUnit> TIMES = List.of(ChronoUnit.DAYS, ChronoUnit.HOURS, ChronoUnit.MINUTES,
			ChronoUnit.SECONDS, ChronoUnit.MILLIS, ChronoUnit.MICROS, ChronoUnit.NANOS);

	private static final List<String> SIZES = List.of("B", "KB", "MB", "GB", "TB");

	private PropertyText() {
	}

	static String of(Object value) {
		if (value instanceof Duration time) {
			return time(time);
		}
		if (value instanceof Collection<?> values) {
			return values.stream().map(PropertyText::of).collect(Collectors.joining(","));
		}
		if (value instanceof Enum<?> choice) {
			return choice.name().toLowerCase(Locale.ROOT).replace('_', '-');
		}
		return (value instanceof DataSize size) ? size(size.toBytes()) : String.valueOf(value);
	}

	/**
	 * Formats an element of a property name, in brackets if the element contains
	 * characters other than letters, digits and dashes.
	 */
	static String name(String element) {
		return element.matches("[A-Za-z0-9-]+") ? element : "[" + element + "]";
	}

	private static String time(Duration time) {
		if (time.isZero()) {
			return "0s";
		}
		return TIMES.stream()
			.filter((unit) -> time.truncatedTo(unit).equals(time))
			.findFirst()
			.map((unit) -> DurationStyle.SIMPLE.print(time, unit))
			.orElseGet(time::toString);
	}

	private static String size(long bytes) {
		long count = bytes;
		int unit = 0;
		while (count != 0 && count % 1024 == 0 && unit < SIZES.size() - 1) {
			count /= 1024;
			unit++;
		}
		return count + SIZES.get(unit);
	}

}
