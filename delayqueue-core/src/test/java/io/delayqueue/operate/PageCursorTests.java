package io.delayqueue.operate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.store.Bookmark;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class PageCursorTests {

	private static final String LIST = "orders\nSCHEDULED\nany";

	@ParameterizedTest
	@MethodSource("bookmarks")
	void cursorTextIsReadBack(Bookmark bookmark) {
		PageCursor cursor = new PageCursor(1023, bookmark);
		String text = cursor.toText(LIST);
		assertThat(text).matches("[A-Za-z0-9_-]+");
		assertThat(PageCursor.parse(text, LIST, isInStream(bookmark), 1024)).isEqualTo(cursor);
	}

	static Stream<Bookmark> bookmarks() {
		return Stream.of(Bookmark.BEGIN, inOrder("1700000000000", "a"), inOrder("-1", ""), inOrder("inf", "ß/\n\0"),
				inOrder("-1.7976931348623157e+308", "\uD83D\uDE00".repeat(200)),
				Bookmark.of(false, "1.5", new byte[] { (byte) 0xff, 0, 1 }),
				Bookmark.of(true, "1700000000000-12", new byte[0]));
	}

	@Test
	void nullBeginsAtFirstPage() {
		assertThat(PageCursor.parse(null, LIST, false, 1)).isEqualTo(PageCursor.BEGIN);
	}

	@ParameterizedTest
	@MethodSource("bookmarks")
	void changedCursorIsRejected(Bookmark bookmark) {
		String text = new PageCursor(3, bookmark).toText(LIST);
		for (int i = 0; i < text.length(); i++) {
			for (int bit = 0; bit < 7; bit++) {
				char[] broken = text.toCharArray();
				broken[i] ^= (char) (1 << bit);
				assertRefused(new String(broken), LIST, isInStream(bookmark), 8);
			}
			assertRefused(text.substring(0, i), LIST, isInStream(bookmark), 8);
			assertRefused(text + text.charAt(i), LIST, isInStream(bookmark), 8);
		}
	}

	@Test
	void cursorOfAnotherListIsRejected() {
		String text = new PageCursor(3, inOrder("1", "a")).toText(LIST);
		for (String other : List.of("order\nSCHEDULED\nany", "orders\nDEAD\nany", "orders\nSCHEDULED\nonly any", "")) {
			assertRefused(text, other, false, 8);
		}
		assertRefused(text, LIST, true, 8);
	}

	@Test
	void cursorOfUnknownPartitionIsRejected() {
		PageCursor cursor = new PageCursor(3, inOrder("1", "a"));
		assertThat(PageCursor.parse(cursor.toText(LIST), LIST, false, 4)).isEqualTo(cursor);
		assertRefused(cursor.toText(LIST), LIST, false, 3);
		assertRefused(new PageCursor(-1, inOrder("1", "a")).toText(LIST), LIST, false, 3);
	}

	@Test
	void malformedCursorIsRejectedWithoutItsControlCharacters() {
		for (String text : List.of("", "x", "AAAA", "=", "../..", "<b>\r\nX", "A".repeat(100_000), "\uD83D\uDE00",
				"0-0")) {
			assertRefused(text, LIST, false, 8);
		}
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> PageCursor.parse("<b>\r\nforged", LIST, false, 8))
			.withMessage(
					"from is '?b???forged' but must be the cursor of the previous page of the same list, or be left out to"
							+ " begin")
			.satisfies((refused) -> assertThat(refused.field()).isEqualTo("from"));
	}

	@Test
	void bookmarkThatRedisWouldRejectCannotBeCreated() {
		for (String at : List.of("nan", "(1", "+inf", "1 2", "1e9999", "-", ".5", "1".repeat(21), "0x10", "1-1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> Bookmark.of(false, at, new byte[1]));
		}
		for (String at : List.of("1", "$", "-", "+", "1-*", "18446744073709551615-18446744073709551615", "(1-1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> Bookmark.of(true, at, new byte[0]));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> Bookmark.of(true, "1-1", new byte[1]));
		assertThatIllegalArgumentException().isThrownBy(() -> Bookmark.of(false, "", new byte[1]));
	}

	private static Bookmark inOrder(String score, String id) {
		return Bookmark.of(false, score, id.getBytes(StandardCharsets.UTF_8));
	}

	private static boolean isInStream(Bookmark bookmark) {
		return bookmark.at().indexOf('-') > 0 && bookmark.id().length == 0 && !bookmark.at().contains("e");
	}

	private static void assertRefused(String text, String list, boolean inStream, int partitions) {
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> PageCursor.parse(text, list, inStream, partitions));
	}

}
