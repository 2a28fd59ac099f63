package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How several things are listed where the start of an application fails.
 */
final class NumberedList {

	private NumberedList() {
	}

	/** A line of its own for each text, with its number. */
	static String of(List<String> texts) {
		return IntStream.range(0, texts.size())
			.mapToObj((index) -> System.lineSeparator() + "    " + (index + 1) + ". " + texts.get(index))
			.collect(Collectors.joining());
	}

}
