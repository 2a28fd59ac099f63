package io.delayqueue.record;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.RetryOverride;
import io.delayqueue.record.Envelope.Creation;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EnvelopeTests {

	private static final String TOKEN = "token000001";

	@Property(tries = 1_000)
	void writtenEnvelopesAreReadBack(@ForAll("texts") String group, @ForAll("headers") Map<String, String> headers,
			@ForAll byte[] payload) {
		Envelope read = read(new Envelope(TOKEN, group, headers, payload));
		assertThat(read.token()).isEqualTo(TOKEN);
		assertThat(read.group()).isEqualTo(group);
		assertThat(read.headers()).isEqualTo(headers);
		assertThat(read.payload()).isEqualTo(payload);
	}

	@Provide
	Arbitrary<String> texts() {
		return Arbitraries.oneOf(Arbitraries.strings().ascii(),
				Arbitraries.of("订单", "\ud83d\udce6", "\n", "\0", "\"", "\\", "{}", "a\u2028b"));
	}

	@Provide
	Arbitrary<Map<String, String>> headers() {
		return Arbitraries.maps(texts(), texts()).ofMaxSize(5);
	}

	@ParameterizedTest
	@MethodSource
	void retrySettingsAreWrittenAndRead(RetryOverride retry) {
		Envelope envelope = new Envelope(TOKEN, false, null, Map.of(), retry, null, bytes("1"));
		assertThat(read(envelope).retry()).isEqualTo(retry);
		assertThat(read(envelope).payload()).isEqualTo(bytes("1"));
	}

	static Stream<RetryOverride> retrySettingsAreWrittenAndRead() {
		Duration minute = Duration.ofMinutes(1);
		return Stream.of(RetryOverride.NONE, new RetryOverride(10, null),
				new RetryOverride(null, BackOffPolicy.linear(minute, minute.multipliedBy(2))),
				new RetryOverride(3, BackOffPolicy.exponential(minute, 1.5, Duration.ofDays(3650)).withJitter(0.25)),
				new RetryOverride(1, BackOffPolicy.delays(List.of(Duration.ZERO, minute))));
	}

	@Test
	void theCreationIsWrittenAndRead() {
		Envelope envelope = new Envelope(TOKEN, false, null, Map.of(), RetryOverride.NONE,
				new Creation(Instant.ofEpochMilli(1700000000123L), "host-1"), bytes("1"));
		assertThat(text(envelope.toBytes())).isEqualTo(TOKEN + "{\"at\":1700000000123,\"by\":\"host-1\"}\n1");
		assertThat(read(envelope).created()).isEqualTo(envelope.created());
		assertThat(read(new Envelope(TOKEN, "g", Map.of(), bytes("1"))).created()).isNull();
	}

	@Test
	void retrySettingsAreHumanReadable() {
		Envelope envelope = new Envelope(TOKEN, false, null, Map.of(),
				new RetryOverride(2, BackOffPolicy.delays(List.of(Duration.ofSeconds(1)))), null, bytes("1"));
		assertThat(text(envelope.toBytes()))
			.startsWith(TOKEN + "{\"retry\":{\"maxAttempts\":2,\"backOff\":{\"delays\":[1000],\"first\":1,\"step\":0,");
	}

	@Test
	void withoutGroupAndHeadersThereIsOnlyThePayload() {
		Envelope envelope = new Envelope(TOKEN, null, Map.of(), bytes("{\"a\":1}"));
		assertThat(text(envelope.toBytes())).isEqualTo(TOKEN + "\n{\"a\":1}");
		assertThat(read(envelope).group()).isNull();
		assertThat(read(envelope).headers()).isEmpty();
	}

	@Test
	void theFormIsHumanReadable() {
		Envelope envelope = new Envelope(TOKEN, "用户", Map.of("a", "b"), bytes("[1]"));
		assertThat(text(envelope.toBytes())).isEqualTo(TOKEN + "{\"group\":\"用户\",\"headers\":{\"a\":\"b\"}}\n[1]");
	}

	@Test
	void headersThatWereReadCannotBeChanged() {
		Envelope read = read(new Envelope(TOKEN, null, Map.of("a", "b"), new byte[0]));
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> read.headers().put("c", "d"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "1", "10000000000002000", "10000000000002000token00000",
			"10000000000002000token000001", "10000000000002000token000001{}", "20000000000002000token000001\n",
			"1000000000000200xtoken000001\n", "1-000000000002000token000001\n", "10000000000002000token000001{\n",
			"10000000000002000token000001[]\n", "10000000000002000token000001{\"retry\":1}\n",
			"10000000000002000token000001{\"retry\":{\"backOff\":{}}}\n",
			"10000000000002000token000001{\"retry\":{\"maxAttempts\":\"x\"}}\n",
			"10000000000002000token000001{\"group\":1}\n", "of another program, and long enough\n" })
	void recordsOfAnotherFormAreRefused(String record) {
		assertThatExceptionOfType(UnreadableRecordException.class)
			.isThrownBy(() -> MessageRecord.from(record.getBytes(StandardCharsets.UTF_8)))
			.withMessageContaining("record");
	}

	@Test
	void fieldsOfANewerVersionAreIgnored() {
		Envelope read = MessageRecord
			.from(bytes("10000000000002000token000001{\"new\":[1],\"group\":\"g\",\"headers\":{\"a\":1}}\np"))
			.envelope();
		assertThat(read.group()).isEqualTo("g");
		assertThat(read.headers()).containsExactly(Map.entry("a", "1"));
	}

	@Test
	void theDueTimeHasSixteenDigits() {
		assertThat(MessageRecord.from(bytes("10000000000002000" + TOKEN + "\n")).dueMillis()).isEqualTo(2000);
		assertThat(MessageRecord.from(bytes("19999999999999999" + TOKEN + "\n")).dueMillis())
			.isEqualTo(9_999_999_999_999_999L);
	}

	private static Envelope read(Envelope envelope) {
		byte[] bytes = envelope.toBytes();
		byte[] record = new byte[17 + bytes.length];
		System.arraycopy(bytes("10000000000002000"), 0, record, 0, 17);
		System.arraycopy(bytes, 0, record, 17, bytes.length);
		return MessageRecord.from(record).envelope();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
