package io.delayqueue.actuate;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.delayqueue.admin.MessageMask;
import io.delayqueue.admin.MessageMask.Content;
import io.delayqueue.admin.MessageMask.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class MaskedContentTests {

	@Test
	void aPayloadThatIsNotAllowedIsHiddenAndNotPassedToMasks() {
		MessageMask unused = (content) -> {
			throw new AssertionError("called");
		};
		assertThat(contents(4, unused).payload("q", "a", utf8("secret"), false))
			.isEqualTo(new MessageDescriptor.Payload(6, "not-allowed", null, null, false));
	}

	@Test
	void textIsShownAsText() {
		assertThat(contents(100).payload("q", "a", utf8("{\"cents\":42,\"for\":\"Zoë\"}"), true))
			.isEqualTo(new MessageDescriptor.Payload(25, null, "text", "{\"cents\":42,\"for\":\"Zoë\"}", false));
		assertThat(contents(1).payload("q", "a", new byte[0], true))
			.isEqualTo(new MessageDescriptor.Payload(0, null, "text", "", false));
	}

	@ParameterizedTest
	@CsvSource({ "1, a, true", "2, a, true", "3, aé, true", "5, aé, true", "6, aé€, true", "9, aé€, true",
			"10, aé€😀, false", "11, aé€😀, false" })
	void textIsCutAtACharacterBoundary(int most, String shown, boolean truncated) {
		assertThat(contents(most).payload("q", "a", utf8("aé€😀"), true))
			.isEqualTo(new MessageDescriptor.Payload(10, null, "text", shown, truncated));
	}

	@ParameterizedTest
	@CsvSource({ "1, 0, true", "2, 0, true", "3, 3, true", "5, 3, true", "6, 6, true", "9, 9, true", "10, 10, false",
			"11, 10, false", "100, 10, false" })
	void binaryPayloadsAreShownInDecodableBase64(int most, int shown, boolean truncated) {
		byte[] payload = { (byte) 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
		MessageDescriptor.Payload descriptor = contents(most).payload("q", "a", payload, true);
		assertThat(descriptor.encoding()).isEqualTo("base64");
		assertThat(descriptor.truncated()).isEqualTo(truncated);
		assertThat(descriptor.content()).isNotNull();
		assertThat(Base64.getDecoder().decode(descriptor.content())).isEqualTo(Arrays.copyOf(payload, shown));
	}

	@Test
	void eachMaskGetsTheUncutResultOfThePreviousMask() {
		Pattern digits = Pattern.compile("\\d");
		MaskedContent contents = contents(6, (content) -> {
			assertThat(content).isEqualTo(new Content("q", "a", Part.PAYLOAD, null, "card 4711 of Eve"));
			return digits.matcher(content.text()).replaceAll("*");
		}, (content) -> content.text().replace("Eve", "***"), (content) -> {
			assertThat(content.text()).isEqualTo("card **** of ***");
			return content.text();
		});
		assertThat(contents.payload("q", "a", utf8("card 4711 of Eve"), true))
			.isEqualTo(new MessageDescriptor.Payload(16, null, "text", "card *", true));
	}

	@Test
	void aMaskCanHideThePayload() {
		MessageMask unused = (content) -> {
			throw new AssertionError("called");
		};
		assertThat(contents(6, (content) -> null, unused).payload("q", "a", utf8("secret"), true))
			.isEqualTo(new MessageDescriptor.Payload(6, "masked", null, null, false));
	}

	@Test
	void masksCanDetectBinaryPayloads() {
		assertThat(contents(100, (content) -> (content.part() == Part.BINARY_PAYLOAD) ? null : content.text())
			.payload("q", "a", new byte[] { (byte) 0xff }, true)).extracting(MessageDescriptor.Payload::hidden)
			.isEqualTo("masked");
	}

	@Test
	void aFailingMaskHidesTheContentAndTheExceptionMessageIsNotLogged(CapturedOutput output) {
		MaskedContent contents = contents(100, (content) -> {
			throw new IllegalStateException("cannot read " + content.text());
		});
		assertThat(contents.payload("q", "a", utf8("the-secret"), true))
			.isEqualTo(new MessageDescriptor.Payload(10, "mask-failed", null, null, false));
		assertThat(contents.headers("q", "a", Map.of("token", "the-secret")))
			.containsExactly(Map.entry("token", "******"));
		assertThat(output).contains("PAYLOAD of message 'a' of queue 'q' is hidden", "IllegalStateException")
			.doesNotContain("the-secret")
			.doesNotContain("HEADER");
	}

	@Test
	void aStackOverflowInAMaskHidesTheContent() {
		Pattern deep = Pattern.compile("(a|b)*c");
		MaskedContent contents = contents(100,
				(content) -> deep.matcher(content.text()).matches() ? "" : content.text());
		assertThat(contents.payload("q", "a", utf8("ab".repeat(100_000)), true))
			.extracting(MessageDescriptor.Payload::hidden)
			.isEqualTo("mask-failed");
	}

	@Test
	void headerValuesAreMaskedByHeaderName() {
		MaskedContent contents = contents(1,
				(content) -> (content.part() == Part.HEADER && "token".equals(content.header())) ? null
						: content.text());
		assertThat(contents.headers("q", "a", Map.of("token", "abc", "trace", "def")))
			.containsExactlyInAnyOrderEntriesOf(Map.of("token", "******", "trace", "def"));
	}

	private static MaskedContent contents(int most, MessageMask... masks) {
		return new MaskedContent(List.of(masks), DataSize.ofBytes(most));
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
