package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.util.unit.DataSize;
import org.springframework.util.unit.DataUnit;

/**
 * Formats values as in a properties file, in the largest unit that represents them
 * exactly.
 */
final class PropertyText {

	private static final Map<ChronoUnit, String> TIMES = new LinkedHashMap<>();

	private static final Map<DataUnit, String> SIZES = new LinkedHashMap<>();

	static {
		TIMES.put(ChronoUnit.DAYS, "d");
		TIMES.put(ChronoUnit.HOURS, "h");
		TIMES.put(ChronoUnit.MINUTES, "m");
		TIMES.put(ChronoUnit.SECONDS, "s");
		TIMES.put(ChronoUnit.MILLIS, "ms");
		TIMES.put(ChronoUnit.MICROS, "us");
		TIMES.put(ChronoUnit.NANOS, "ns");
		SIZES.put(DataUnit.TERABYTES, "TB");
		SIZES.put(DataUnit.GIGABYTES, "GB");
		SIZES.put(DataUnit.MEGABYTES, "MB");
		SIZES.put(DataUnit.KILOBYTES, "KB");
	}

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
		return (value instanceof DataSize size) ? size(size) : String.valueOf(value);
	}

	/** Formats an element of a property name, in brackets if it needs them. */
	static String name(String element) {
		return element.matches("[A-Za-z0-9-]+") ? element : "[" + element + "]";
	}

	private static String time(Duration time) {
		if (time.isZero()) {
			return "0s";
		}
		for (Map.Entry<ChronoUnit, String> unit : TIMES.entrySet()) {
			long count = time.dividedBy(unit.getKey().getDuration());
			if (count != 0 && Duration.of(count, unit.getKey()).equals(time)) {
				return count + unit.getValue();
			}
		}
		return time.toString();
	}

	private static String size(DataSize size) {
		for (Map.Entry<DataUnit, String> unit : SIZES.entrySet()) {
			long one = DataSize.of(1, unit.getKey()).toBytes();
			if (size.toBytes() != 0 && size.toBytes() % one == 0) {
				return size.toBytes() / one + unit.getValue();
			}
		}
		return size.toBytes() + "B";
	}

}
