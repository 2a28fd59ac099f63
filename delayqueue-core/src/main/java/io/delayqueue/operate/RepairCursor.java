package io.delayqueue.operate;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.store.Repairs.Position;
import org.jspecify.annotations.Nullable;

/**
 * The position where the next call to repair a queue continues, as text. A forged cursor
 * only makes the call check other ids, which does no harm.
 *
 * @param partition the partition's number
 * @param position the position in the partition
 */
record RepairCursor(int partition, Position position) {

	private static final String RULE = "the cursor of the previous repair of the queue, or be left out to begin";

	private static final String NUMBER = "\\d{1,20}";

	private static final Pattern FORM = Pattern
		.compile("(\\d{1,4})\\.([a-z]{1,9})\\.(" + NUMBER + "|\\(" + NUMBER + "-" + NUMBER + ")");

	private static final int SHOWN = 20;

	private static final String STREAM = "ready";

	private static final Set<String> SCANNED = Set.of("messages", "scheduled", "dead", "entries", "failures",
			"expiries", "grouped", "groups", "active", "parked");

	String toText() {
		return this.partition + "." + this.position.of() + "." + this.position.cursor();
	}

	/**
	 * Reads a text.
	 * @param text the text, {@code null} to begin
	 * @param partitions how many partitions there are
	 * @throws InvalidMessageException if {@link #toText} cannot have returned this text
	 */
	static RepairCursor parse(@Nullable String text, int partitions) {
		if (text == null) {
			return new RepairCursor(0, Position.BEGIN);
		}
		Matcher parts = FORM.matcher(text);
		if (parts.matches() && Integer.parseInt(parts.group(1)) < partitions && fits(parts.group(2), parts.group(3))) {
			return new RepairCursor(Integer.parseInt(parts.group(1)), new Position(parts.group(2), parts.group(3)));
		}
		String shown = text.replaceAll("[^A-Za-z0-9.(-]", "?");
		throw new InvalidMessageException("from", shown.substring(0, Math.min(shown.length(), SHOWN)), RULE);
	}

	private static boolean fits(String of, String cursor) {
		if (cursor.startsWith("(")) {
			int dash = cursor.indexOf('-');
			return of.equals(STREAM) && isNumber(cursor.substring(1, dash)) && isNumber(cursor.substring(dash + 1));
		}
		return (of.equals(STREAM) || SCANNED.contains(of)) && isNumber(cursor);
	}

	/** Redis rejects a number that does not fit in 64 bits. */
	private static boolean isNumber(String digits) {
		try {
			Long.parseUnsignedLong(digits);
			return true;
		}
		catch (NumberFormatException tooLarge) {
			return false;
		}
	}

}
