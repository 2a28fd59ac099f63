package io.delayqueue.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;
import org.springframework.web.util.HtmlUtils;

/**
 * The page of the dashboard, put together once from its files. Style and script stand in
 * it, and its policy names their hashes, so that a browser runs nothing else. What a
 * request adds are attributes of the body, escaped, and nothing more.
 */
final class DashboardPage {

	/** Where the files are, for native images too. */
	static final String FILES = "io/delayqueue/actuate/dashboard/";

	private static final List<String> STYLES = List.of("base.css", "controls.css", "frame.css", "notices.css",
			"dialogs.css", "parts.css", "overview.css", "tools.css", "tables.css", "charts.css", "message.css",
			"narrow.css", "narrow-tables.css", "narrow-queues.css");

	private static final List<String> SCRIPTS = List.of("server.js", "words.js", "elements.js", "parts.js",
			"samples.js", "dialogs.js", "overview.js", "queue.js", "operations.js", "dead.js", "message.js",
			"routes.js", "main.js");

	private static final Pattern PLACE = Pattern.compile("@(policy|style|script)@");

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
		return PLACE.matcher(frame).replaceAll((place) -> Matcher.quoteReplacement(parts.get(place.group(1))));
	}

	/** A browser hashes what it has read, in which lines end with a line feed. */
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
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return "sha256-" + Base64.getEncoder().encodeToString(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/** What the page may load and run. */
	String policy() {
		return this.policy;
	}

	/** The page, with what the server tells it. */
	String with(Map<String, String> data) {
		return this.beforeData + data.entrySet()
			.stream()
			.map((entry) -> "data-" + entry.getKey() + "=\"" + HtmlUtils.htmlEscape(entry.getValue()) + '"')
			.collect(Collectors.joining(" ")) + this.afterData;
	}

}
