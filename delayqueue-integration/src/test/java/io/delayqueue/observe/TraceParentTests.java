package io.delayqueue.observe;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TraceParentTests {

	private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

	private static final String SPAN = "b7ad6b7169203331";

	@Test
	void headerIsReadAsWritten() {
		TraceParent recorded = new TraceParent(TRACE, SPAN, true);
		assertThat(TraceParent.read(recorded.toString())).isEqualTo(recorded);
		TraceParent notSampled = new TraceParent(TRACE, SPAN, false);
		assertThat(TraceParent.read(notSampled.toString())).isEqualTo(notSampled);
	}

	@ParameterizedTest
	@ValueSource(strings = { "00-" + TRACE + "-" + SPAN + "-03", "01-" + TRACE + "-" + SPAN + "-01",
			"01-" + TRACE + "-" + SPAN + "-01-what-a-later-version-adds" })
	void fieldsOfLaterVersionsAreIgnored(String header) {
		assertThat(TraceParent.read(header)).isEqualTo(new TraceParent(TRACE, SPAN, true));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "00-" + TRACE + "-" + SPAN, "00-" + TRACE + "-" + SPAN + "-1",
			"00-" + TRACE + "-" + SPAN + "-01-more", "00-" + TRACE + "-" + SPAN + "-01x",
			"ff-" + TRACE + "-" + SPAN + "-01", "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN + "-01",
			"00-00000000000000000000000000000000-" + SPAN + "-01", "00-" + TRACE + "-0000000000000000-01",
			" 00-" + TRACE + "-" + SPAN + "-01", "00-" + TRACE + "-" + SPAN + "-zz" })
	void malformedHeaderIdentifiesNoSpan(String header) {
		assertThat(TraceParent.read(header)).isNull();
	}

	@Test
	void missingHeaderIdentifiesNoSpan() {
		assertThat(TraceParent.read(null)).isNull();
	}

}
