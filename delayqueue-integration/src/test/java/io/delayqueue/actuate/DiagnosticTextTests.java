package io.delayqueue.actuate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class DiagnosticTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "o-1", "a b/c%20é", "\uD83D\uDE00", "\"<b>\"", "" })
	void harmlessTextIsUnchanged(String text) {
		assertThat(DiagnosticText.escaped(text)).isEqualTo(text);
	}

	@Test
	void lineEndsQuotesAndDirectionMarksAreEscaped() {
		assertThat(DiagnosticText.escaped("a\r\nb\u2028c\u0085d'e\\f\u202eg\u001b[2J\uD800"))
			.isEqualTo("a\\u000d\\u000ab\\u2028c\\u0085d\\u0027e\\u005cf\\u202eg\\u001b[2J\\ud800");
	}

	@Test
	void aTextWithoutQuotationMarksAroundItKeepsItsOwn() {
		assertThat(DiagnosticText.line("id is 'o-1'\n'\\u0027")).isEqualTo("id is 'o-1'\\u000a'\\u005cu0027");
	}

	@ParameterizedTest
	@CsvSource({ "500, false", "501, true" })
	void longTextIsCut(int length, boolean cut) {
		assertThat(DiagnosticText.escaped("x".repeat(length))).isEqualTo("x".repeat(500) + (cut ? "..." : ""));
	}

}
