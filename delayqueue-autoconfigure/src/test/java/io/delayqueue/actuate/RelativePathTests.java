package io.delayqueue.actuate;

import java.net.URI;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RelativePathTests {

	@ParameterizedTest
	@CsvSource({ "delayqueuedashboard, delayqueue, ./delayqueue", "a, b/c, ./b/c", "a/b/c, d, ./../../d",
			"/a/b/, /c/, ./../c", "a, https://evil.example, ./https%3A/evil.example",
			"a, //evil.example, ./evil.example", "a, 'x\" y<b>', ./x%22%20y%3Cb%3E", "a, 100%, ./100%25" })
	void theReferenceLeadsFromOneEndpointToTheOther(String page, String target, String expected) {
		assertThat(RelativePath.of(page, target)).isEqualTo(expected);
		assertThat(URI.create("http://host/base/" + page.replaceAll("^/|/$", "")).resolve(expected).toString())
			.startsWith("http://host/base/");
	}

}
