package io.delayqueue.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.delayqueue.record.Sha256;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.core.io.ClassPathResource;
import org.springframework.web.util.HtmlUtils;

/**
 * The HTML page of the dashboard, assembled once from its files. Styles and scripts are
 * inlined, and the Content-Security-Policy contains their hashes, so that a browser runs
 * no other script. For each request, this class adds only data attributes with escaped
 * values to the body element.
 */
final class DashboardPage {

	/** The class path location of the files of the dashboard page. */
	static final String FILES = "io/delayqueue/actuate/dashboard/";

	private static final List<String> STYLES = List.of("base.css", "controls.css", "frame.css", "notices.css",
			"dialogs.css", "parts.css", "overview.css", "tools.css", "tables.css", "charts.css", "trend.css",
			"message.css", "narrow.css", "narrow-tables.css", "narrow-queues.css");

	private static final List<String> SCRIPTS = List.of("server.js", "words.js", "elements.js", "parts.js",
			"samples.js", "dialogs.js", "outbox.js", "overview.js", "trend.js", "queue.js", "operations.js", "dead.js",
			"ended.js", "recurring.js", "message.js", "routes.js", "main.js");

	private static final Pattern PLACEHOLDER = Pattern.compile("@(policy|style|script)@");

	private static final String DATA = "@data@";

	private final String policy;

	private final String beforeData;

	private final String afterData;

	DashboardPage() {
		String style = text(STYLES);
		String script = text(SCRIPTS);
		this.policy = "default-src 'none'; script-src '" + hash(script) + "'; style-src '" + hash(style)
				+ "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
				+ " require-trusted-types-for 'script'; trusted-types 'none'";
		Map<String, String> parts = Map.of("policy", this.policy, "style", style, "script", script);
		String frame = text(List.of("page.html"));
		int data = frame.indexOf(DATA);
		this.beforeData = filled(frame.substring(0, data), parts);
		this.afterData = filled(frame.substring(data + DATA.length()), parts);
	}

	private static String filled(String frame, Map<String, String> parts) {
		return PLACEHOLDER.matcher(frame)
			.replaceAll((placeholder) -> Matcher.quoteReplacement(parts.get(placeholder.group(1))));
	}

	/**
	 * Reads files and converts their line ends to line feeds, as a browser does before it
	 * computes the hash of a script.
	 */
	private static String text(List<String> files) {
		return files.stream().map((file) -> {
			try {
				return new ClassPathResource(FILES + file, DashboardPage.class.getClassLoader())
					.getContentAsString(StandardCharsets.UTF_8)
					.replace("\r\n", "\n");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}).collect(Collectors.joining());
	}

	private static String hash(String text) {
		return "sha256-" + Base64.getEncoder().encodeToString(Sha256.of(text));
	}

	/** Returns the Content-Security-Policy of the page. */
	String policy() {
		return this.policy;
	}

	/** Returns the HTML page, with the given data attributes on its body element. */
	String with(Map<String, String> data) {
		return this.beforeData + data.entrySet()
			.stream()
			.map((entry) -> "data-" + entry.getKey() + "=\"" + HtmlUtils.htmlEscape(entry.getValue()) + '"')
			.collect(Collectors.joining(" ")) + this.afterData;
	}

	/**
	 * Returns the relative reference from one endpoint to another. The reference does not
	 * depend on a prefix that the paths of all endpoints share: the base path, the
	 * context path of the application, or a prefix of a proxy.
	 * @param page the path of the page below the base path; it has at least one segment
	 * @param target the path of the target below the base path
	 * @return a reference that a browser cannot mistake for an address with a scheme or a
	 * host
	 */
	static String reference(String page, String target) {
		return "./" + "../".repeat(segments(page).length - 1)
				+ Arrays.stream(segments(target)).map(DashboardPage::encoded).collect(Collectors.joining("/"));
	}

	private static String[] segments(String path) {
		return Arrays.stream(path.split("/")).filter((segment) -> !segment.isEmpty()).toArray(String[]::new);
	}

	private static String encoded(String segment) {
		return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
	}

	/** Registers the files of the dashboard page for native images. */
	static final class Files implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern(FILES + "*");
		}

	}

}
