package io.delayqueue.actuate;

/**
 * Escapes untrusted text for a log line.
 */
final class LogText {

	private static final int MAX_LENGTH = 500;

	private LogText() {
	}

	/**
	 * Escapes characters that could end the line or the enclosing quotation as
	 * {@code \}{@code uXXXX}. The text stays on one line, cannot close its quotation, and
	 * no two texts look alike.
	 */
	static String escaped(String text) {
		StringBuilder escaped = new StringBuilder();
		text.codePoints().limit(MAX_LENGTH).forEach((codePoint) -> {
			if (isPlain(codePoint)) {
				escaped.appendCodePoint(codePoint);
			}
			else {
				for (char half : Character.toChars(codePoint)) {
					escaped.append("\\u%04x".formatted((int) half));
				}
			}
		});
		return (text.codePointCount(0, text.length()) > MAX_LENGTH) ? escaped + "..." : escaped.toString();
	}

	private static boolean isPlain(int codePoint) {
		return switch (Character.getType(codePoint)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.UNASSIGNED, Character.PRIVATE_USE ->
				false;
			default -> codePoint != '\'' && codePoint != '\\';
		};
	}

}
