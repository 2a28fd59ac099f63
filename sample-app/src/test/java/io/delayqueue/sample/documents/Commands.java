package io.delayqueue.sample.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Consecutive shell lines of a document: a code block, or a part of one.
 *
 * @param first the number of the first line in the document, from 1
 * @param lines the lines, including empty lines and comments
 */
record Commands(int first, List<String> lines) {

	Commands {
		lines = List.copyOf(lines);
	}

	String text() {
		return String.join("\n", this.lines) + "\n";
	}

	/**
	 * Returns one command, including its continuation lines.
	 * @param number from 0; comments and empty lines do not count
	 */
	Commands command(int number) {
		List<Commands> commands = new ArrayList<>();
		int begin = 0;
		for (int i = 0; i < this.lines.size(); i++) {
			if (!this.lines.get(i).endsWith("\\")) {
				if (isCommand(this.lines.get(i))) {
					commands.add(part(begin, i + 1));
				}
				begin = i + 1;
			}
		}
		return commands.get(number);
	}

	/**
	 * Returns the commands between two empty lines.
	 * @param number from 0
	 */
	Commands paragraph(int number) {
		List<Commands> paragraphs = new ArrayList<>();
		int begin = 0;
		for (int i = 0; i <= this.lines.size(); i++) {
			if (i == this.lines.size() || this.lines.get(i).isBlank()) {
				paragraphs.add(part(begin, i));
				begin = i + 1;
			}
		}
		return paragraphs.get(number);
	}

	/** Returns the commands before a comment. */
	Commands before(String comment) {
		return part(0, indexOf(comment));
	}

	/** Returns the commands after a comment. */
	Commands after(String comment) {
		return part(indexOf(comment) + 1, this.lines.size());
	}

	/** Replaces a placeholder. */
	Commands with(String placeholder, Object value) {
		if (!text().contains(placeholder)) {
			throw new IllegalArgumentException("Missing placeholder " + placeholder + " in:\n" + text());
		}
		UnaryOperator<String> replaced = (line) -> line.replace(placeholder, value.toString());
		return new Commands(this.first, this.lines.stream().map(replaced).toList());
	}

	/** The numbers of the lines that contain commands. */
	List<Integer> numbers() {
		List<Integer> numbers = new ArrayList<>();
		for (int i = 0; i < this.lines.size(); i++) {
			if (isCommand(this.lines.get(i))) {
				numbers.add(this.first + i);
			}
		}
		return numbers;
	}

	private int indexOf(String comment) {
		int index = this.lines.indexOf(comment);
		if (index < 0) {
			throw new IllegalArgumentException("Missing line '" + comment + "' in:\n" + text());
		}
		return index;
	}

	private Commands part(int begin, int end) {
		return new Commands(this.first + begin, this.lines.subList(begin, end));
	}

	private static boolean isCommand(String line) {
		return !line.isBlank() && !line.startsWith("#");
	}

}
