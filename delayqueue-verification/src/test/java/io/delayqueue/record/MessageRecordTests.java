package io.delayqueue.record;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.RetryOverride;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Stored records: every record that was ever written must stay readable.
 */
class MessageRecordTests {

	@Test
	void aPlainRecordOfVersion1IsRead() {
		MessageRecord read = read("10001790000000123cxKq3-Z_0aB\n{\"order\":17,\"note\":\"two\\nlines\"}\nand more");

		assertThat(read.dueMillis()).isEqualTo(1_790_000_000_123L);
		assertThat(read.envelope().token()).isEqualTo("cxKq3-Z_0aB");
		assertThat(read.envelope().group()).isNull();
		assertThat(read.envelope().headers()).isEmpty();
		assertThat(read.envelope().isPostponed()).isFalse();
		assertThat(read.envelope().retry()).isEqualTo(RetryOverride.NONE);
		assertThat(payload(read)).isEqualTo("{\"order\":17,\"note\":\"two\\nlines\"}\nand more");
	}

	@Test
	void aRecordOfVersion1WithAllFieldsIsRead() {
		MessageRecord read = read(
				"10000000000002000token000001{\"latest\":\"0001790000000456\",\"group\":\"user\\u0000-\u00e9\","
						+ "\"headers\":{\"a\":\"1\",\"b\":\"\\\"\"},\"retry\":{\"maxAttempts\":7,\"backOff\":{\"delays\":[],"
						+ "\"first\":1000,\"step\":0,\"multiplier\":2.0,\"max\":60000,\"jitter\":0.2}}}\n");

		assertThat(read.dueMillis()).isEqualTo(2000);
		assertThat(read.envelope().isPostponed()).isTrue();
		assertThat(read.envelope().group()).isEqualTo("user\u0000-\u00e9");
		assertThat(read.envelope().headers()).containsExactlyInAnyOrderEntriesOf(Map.of("a", "1", "b", "\""));
		assertThat(read.envelope().retry()).isEqualTo(new RetryOverride(7,
				BackOffPolicy.exponential(Duration.ofSeconds(1), 2, Duration.ofMinutes(1)).withJitter(0.2)));
		assertThat(payload(read)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(chars = { '2', '9', 'A', 'Z' })
	void aRecordOfANewerVersionIsNotDamaged(char version) {
		NewerRecordException newer = catchThrowableOfType(NewerRecordException.class,
				() -> read(version + "0001790000000123cxKq3-Z_0aBwhatever comes then"));

		assertThat(newer).hasMessageContaining("version '" + version + "'")
			.hasMessageContaining("newest known version is '1'");
		assertThat(newer.version()).isEqualTo(version);
		assertThat(newer.dueMillis()).isEqualTo(1_790_000_000_123L);
	}

	/** Every version has the due time and the token at the same offsets. */
	@ParameterizedTest
	@ValueSource(strings = { "2", "2000179000000012xcxKq3-Z_0aB\n", "20001790000000123cxKq3-Z_0a", "9|1|{}",
			"00001790000000123cxKq3-Z_0aB\n", "a0001790000000123cxKq3-Z_0aB\n", "{0001790000000123cxKq3-Z_0aB\n" })
	void aRecordThatNoVersionWritesIsDamaged(String record) {
		assertThatExceptionOfType(UnreadableRecordException.class).isThrownBy(() -> read(record))
			.isNotInstanceOf(NewerRecordException.class);
	}

	private static MessageRecord read(String record) {
		return MessageRecord.from(record.getBytes(StandardCharsets.UTF_8));
	}

	private static String payload(MessageRecord read) {
		return new String(read.envelope().payload(), StandardCharsets.UTF_8);
	}

}
