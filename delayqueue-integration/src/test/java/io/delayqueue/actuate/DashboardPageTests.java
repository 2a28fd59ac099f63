package io.delayqueue.actuate;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The assembled page.
 */
class DashboardPageTests {

	private static final Pattern POLICY = Pattern
		.compile("http-equiv=\"Content-Security-Policy\" content=\"([^\"]+)\"");

	private final DashboardPage page = new DashboardPage();

	private final String html = this.page.with(Map.of());

	@Test
	void thePolicyContainsOnlyTheHashesOfTheInlinedStyleAndScript() throws Exception {
		Matcher policy = POLICY.matcher(this.html);
		assertThat(policy.find()).isTrue();
		assertThat(policy.group(1)).isEqualTo(this.page.policy());
		assertThat(this.page.policy().split("; ")).containsExactly("default-src 'none'",
				"script-src '" + hash("<script type=\"module\">", "</script>") + "'",
				"style-src '" + hash("<style>", "</style>") + "'", "connect-src 'self'", "img-src data:",
				"base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'");
		assertThat(this.html.indexOf("http-equiv")).isLessThan(this.html.indexOf("<link"))
			.isLessThan(this.html.indexOf("<style"));
	}

	@Test
	void thePageHasNoExternalResourcesAndNoInlineHandlers() {
		String frame = this.html.replaceAll("(?s)<style>.*?</style>|<script type=\"module\">.*</script>", "");
		assertThat(frame).doesNotContain("src=", "style=", "<style", "<script", "@");
		assertThat(frame).doesNotContainPattern("\\son\\w+=");
		assertThat(Pattern.compile("href=\"([^\"]*)\"").matcher(frame).results().map((link) -> link.group(1)))
			.allMatch((link) -> link.startsWith("data:") || link.equals("#/"));
		assertThat(between("<style>", "</style>")).doesNotContain("url(", "@import");
	}

	@Test
	void theScriptNeverParsesTextAsMarkup() {
		String script = between("<script type=\"module\">", "</script>");
		assertThat(List.of("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
				"DOMParser", "srcdoc", "javascript:", "</"))
			.noneMatch(script::contains);
	}

	@Test
	void requestDataIsEscaped() {
		String html = this.page.with(Map.of("endpoint", "\"><script>alert('1')</script>&@script@"));

		assertThat(html).contains(
				"<body data-endpoint=\"&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;@script@\">");
	}

	@ParameterizedTest
	@CsvSource({ "delayqueuedashboard, delayqueue, ./delayqueue", "a, b/c, ./b/c", "a/b/c, d, ./../../d",
			"/a/b/, /c/, ./../c", "a, https://evil.example, ./https%3A/evil.example",
			"a, //evil.example, ./evil.example", "a, 'x\" y<b>', ./x%22%20y%3Cb%3E", "a, 100%, ./100%25" })
	void theReferenceLeadsFromOneEndpointToTheOther(String page, String target, String expected) {
		assertThat(DashboardPage.reference(page, target)).isEqualTo(expected);
		assertThat(URI.create("http://host/base/" + page.replaceAll("^/|/$", "")).resolve(expected).toString())
			.startsWith("http://host/base/");
	}

	private String hash(String from, String to) throws Exception {
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(between(from, to).getBytes(StandardCharsets.UTF_8));
		return "sha256-" + Base64.getEncoder().encodeToString(digest);
	}

	private String between(String from, String to) {
		int start = this.html.indexOf(from) + from.length();
		return this.html.substring(start, this.html.indexOf(to, start));
	}

}
