package io.delayqueue.operate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Pages.Position;
import io.delayqueue.store.Repairs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CursorTests {

	private static final String LIST = "orders\nSCHEDULED\nany";

	@ParameterizedTest
	@MethodSource("positions")
	void cursorTextIsReadBack(Position position) {
		String text = Cursor.text(LIST, new Partition("orders", 7, 1023), position.toBytes());
		assertThat(text).matches("[A-Za-z0-9_-]+");
		assertThat(parse(text, LIST, isInStream(position))).isEqualTo(new Cursor<>(7, 1023, position));
	}

	static Stream<Position> positions() {
		return Stream.of(Position.BEGIN, inOrder("1700000000000", "a"), inOrder("-1", ""), inOrder("inf", "ß/\n\0"),
				inOrder("-1.7976931348623157e+308", "\uD83D\uDE00".repeat(200)),
				Position.of(false, "1.5", new byte[] { (byte) 0xff, 0, 1 }),
				Position.of(true, "1700000000000-12", new byte[0]));
	}

	@ParameterizedTest
	@MethodSource("positions")
	void changedCursorIsRejected(Position position) {
		String text = Cursor.text(LIST, new Partition("orders", 3), position.toBytes());
		for (int i = 0; i < text.length(); i++) {
			for (int bit = 0; bit < 7; bit++) {
				char[] broken = text.toCharArray();
				broken[i] ^= (char) (1 << bit);
				assertRefused(new String(broken), LIST, isInStream(position));
			}
			assertRefused(text.substring(0, i), LIST, isInStream(position));
			assertRefused(text + text.charAt(i), LIST, isInStream(position));
		}
	}

	@Test
	void cursorOfAnotherListIsRejected() {
		String text = Cursor.text(LIST, new Partition("orders", 3), inOrder("1", "a").toBytes());
		for (String other : List.of("order\nSCHEDULED\nany", "orders\nDEAD\nany", "orders\nSCHEDULED\nonly any", "")) {
			assertRefused(text, other, false);
		}
		assertRefused(text, LIST, true);
	}

	@Test
	void cursorContinuesBehindAPartitionThatHasEnded() {
		Position position = inOrder("1", "a");
		Cursor<Position> cursor = parse(Cursor.text(LIST, new Partition("orders", 1, 3), position.toBytes()), LIST,
				false);

		assertThat(cursor.reaches(new Partition("orders", 0, 7))).isFalse();
		assertThat(cursor.reaches(new Partition("orders", 1, 2))).isFalse();
		assertThat(cursor.reaches(new Partition("orders", 1, 3))).isTrue();
		assertThat(cursor.reaches(new Partition("orders", 2, 0))).isTrue();
		assertThat(cursor.positionIn(new Partition("orders", 1, 3), Position.BEGIN)).isEqualTo(position);
		assertThat(cursor.positionIn(new Partition("orders", 2, 0), Position.BEGIN)).isEqualTo(Position.BEGIN);
	}

	@Test
	void cursorOfAnImpossiblePartitionIsRejected() {
		byte[] position = inOrder("1", "a").toBytes();
		assertRefused(Cursor.text(LIST, new Partition("orders", -1), position), LIST, false);
	}

	@Test
	void malformedCursorIsRejectedWithoutItsControlCharacters() {
		for (String text : List.of("", "x", "AAAA", "=", "../..", "<b>\r\nX", "A".repeat(100_000), "\uD83D\uDE00",
				"0-0")) {
			assertRefused(text, LIST, false);
		}
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> parse("<b>\r\nforged", LIST, false))
			.withMessage(
					"from is '?b???forged' but must be the cursor of the previous page of the same list, or be left out to"
							+ " begin")
			.satisfies((refused) -> assertThat(refused.field()).isEqualTo("from"));
	}

	@Test
	void positionThatRedisWouldRejectCannotBeCreated() {
		for (String at : List.of("nan", "(1", "+inf", "1 2", "1e9999", "-", ".5", "1".repeat(21), "0x10", "1-1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> Position.of(false, at, new byte[1]));
		}
		for (String at : List.of("1", "$", "-", "+", "1-*", "18446744073709551615-18446744073709551615", "(1-1")) {
			assertThatIllegalArgumentException().isThrownBy(() -> Position.of(true, at, new byte[0]));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> Position.of(true, "1-1", new byte[1]));
		assertThatIllegalArgumentException().isThrownBy(() -> Position.of(false, "", new byte[1]));
	}

	@ParameterizedTest
	@CsvSource({ "messages, 0", "scheduled, 18446744073709551615", "ready, 0", "ready, (1700000000000-12" })
	void positionOfRepairIsReadBack(String of, String at) {
		Repairs.Position position = new Repairs.Position(of, at);
		assertThat(Repairs.Position.parse(position.toString())).isEqualTo(position);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "messages.", ".0", "done.0", "messages.18446744073709551616",
			"ready.(1-18446744073709551616", "scheduled.(1-1", "ready.-", "messages.-1", "messages.0\n" })
	void malformedPositionOfRepairIsRejected(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> Repairs.Position.parse(text));
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> Cursor.parse(
					Cursor.text(LIST, new Partition("orders", 0), text.getBytes(StandardCharsets.UTF_8)),
					"repair of the queue", LIST,
					(bytes) -> Repairs.Position.parse(new String(bytes, StandardCharsets.UTF_8))))
			.satisfies((refused) -> assertThat(refused.field()).isEqualTo("from"))
			.withMessageContaining("must be the cursor of the previous repair of the queue");
	}

	private static Position inOrder(String score, String id) {
		return Position.of(false, score, id.getBytes(StandardCharsets.UTF_8));
	}

	private static boolean isInStream(Position position) {
		return position.at().indexOf('-') > 0 && position.id().length == 0 && !position.at().contains("e");
	}

	private static Cursor<Position> parse(String text, String list, boolean inStream) {
		return Cursor.parse(text, "page of the same list", list, (bytes) -> Position.from(inStream, bytes));
	}

	private static void assertRefused(String text, String list, boolean inStream) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> parse(text, list, inStream));
	}

}
