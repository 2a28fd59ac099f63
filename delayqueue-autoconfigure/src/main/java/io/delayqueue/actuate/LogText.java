package io.delayqueue.actuate;

/**
 * Text of others for a log line.
 */
final class LogText {

	private static final int LONGEST = 500;

	private LogText() {
	}

	/**
	 * Writes what could end the line, or the quotation that the text stands in, as
	 * {@code \}{@code uXXXX}. So the text is on one line, ends where it ends, and no two
	 * texts look alike.
	 */
	static String escaped(String text) {
		StringBuilder escaped = new StringBuilder();
		text.codePoints().limit(LONGEST).forEach((codePoint) -> {
			if (isPlain(codePoint)) {
				escaped.appendCodePoint(codePoint);
			}
			else {
				for (char half : Character.toChars(codePoint)) {
					escaped.append("\\u%04x".formatted((int) half));
				}
			}
		});
		return (text.codePointCount(0, text.length()) > LONGEST) ? escaped + "..." : escaped.toString();
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
