package io.delayqueue.test.fault;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Parses a line of MONITOR, such as {@code 1700000000.123456 [0 127.0.0.1:50322] "set"
 * "key" "a\xffb"}.
 */
final class MonitorLine {

	/** The text in place of the client address if a script has run the command. */
	static final String SCRIPT = "lua";

	private final String line;

	private int position;

	private MonitorLine(String line, int position) {
		this.line = line;
		this.position = position;
	}

	static CommandLog.Command parse(String line) {
		int open = line.indexOf(" [");
		int close = line.indexOf("] \"", open);
		if (open < 0 || close < 0) {
			throw new IllegalStateException("Not a line of MONITOR: '" + line + "'");
		}
		String source = line.substring(open + 2, close);
		List<String> words = new MonitorLine(line, close + 2).words();
		return new CommandLog.Command(source.substring(source.indexOf(' ') + 1), words.get(0).toUpperCase(Locale.ROOT),
				words.subList(1, words.size()));
	}

	private List<String> words() {
		List<String> words = new ArrayList<>();
		while (this.position < this.line.length()) {
			this.position++;
			words.add(word());
			this.position += 2;
		}
		return words;
	}

	/** Reads a quoted word, and stops at the closing quote. */
	private String word() {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		while (this.line.charAt(this.position) != '"') {
			char c = this.line.charAt(this.position++);
			bytes.write((c == '\\') ? escaped() : c);
		}
		return bytes.toString(StandardCharsets.UTF_8);
	}

	private int escaped() {
		char c = this.line.charAt(this.position++);
		return switch (c) {
			case 'n' -> '\n';
			case 'r' -> '\r';
			case 't' -> '\t';
			case 'a' -> 0x07;
			case 'b' -> '\b';
			case 'x' -> {
				this.position += 2;
				yield Integer.parseInt(this.line.substring(this.position - 2, this.position), 16);
			}
			default -> c;
		};
	}

}
