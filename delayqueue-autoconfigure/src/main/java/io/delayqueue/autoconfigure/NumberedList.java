package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Numbered list in the report of a failed startup.
 */
final class NumberedList {

	private NumberedList() {
	}

	/** Returns one numbered line for each text. */
	static String of(List<String> texts) {
		return IntStream.range(0, texts.size())
			.mapToObj((index) -> System.lineSeparator() + "    " + (index + 1) + ". " + texts.get(index))
			.collect(Collectors.joining());
	}

}
