package io.delayqueue.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.observe.fixture.AlertRule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Alerts link to sections of the runbook, and every relative link of the documentation
 * has a target.
 */
class RunbookTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern ALERT = Pattern.compile("`(DelayQueue\\w+)`");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

	@Test
	void eachAlertHasADescriptionAndLinksToTheRunbook() throws IOException {
		Set<String> sections = anchors(ROOT.resolve("docs/operations.md"));
		for (AlertRule rule : AlertRule.all()) {
			assertThat(rule.labels().get("severity")).as(rule.name()).isIn("critical", "warning", "info");
			assertThat(rule.annotation("summary")).as(rule.name()).isNotBlank();
			assertThat(rule.annotation("description")).as(rule.name()).isNotBlank();
			assertThat(rule.annotation("runbook_url")).as(rule.name()).startsWith("docs/operations.md#");
			assertThat(sections).as(rule.name()).contains(rule.annotation("runbook_url").split("#")[1]);
		}
	}

	@Test
	void theRunbookNamesEachAlert() throws IOException {
		List<String> alerts = AlertRule.all().stream().map(AlertRule::name).toList();
		Set<String> named = found(ALERT, ROOT.resolve("docs/operations.md")).stream()
			.filter((name) -> !name.endsWith("Exception"))
			.collect(Collectors.toSet());
		assertThat(named).containsExactlyInAnyOrderElementsOf(alerts);
	}

	@ParameterizedTest
	@MethodSource("pages")
	void eachRelativeLinkHasATarget(Path file) throws IOException {
		List<String> links = found(LINK, file).stream().filter((link) -> !link.startsWith("http")).toList();
		for (String link : links) {
			int hash = link.indexOf('#');
			String path = (hash >= 0) ? link.substring(0, hash) : link;
			Path target = path.isEmpty() ? file : file.resolveSibling(path);
			assertThat(target).as(link).exists();
			if (hash >= 0) {
				assertThat(anchors(target)).as(link).contains(link.substring(hash + 1));
			}
		}
	}

	static List<Path> pages() throws IOException {
		List<Path> pages = new ArrayList<>();
		for (String page : List.of("README.md", "README.zh-CN.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md",
				"sample-app/README.md")) {
			pages.add(ROOT.resolve(page));
		}
		try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
			files.filter((file) -> file.toString().endsWith(".md")).forEach(pages::add);
		}
		assertThat(pages).hasSizeGreaterThan(20);
		return pages;
	}

	/** The anchors that GitHub creates for headings. */
	private static Set<String> anchors(Path page) throws IOException {
		return Files.readAllLines(page)
			.stream()
			.filter((line) -> line.matches("#+ .*"))
			.map((line) -> line.replaceFirst("#+ ", "")
				.toLowerCase(Locale.ROOT)
				.replaceAll("[^\\w\\- ]", "")
				.replace(' ', '-'))
			.collect(Collectors.toSet());
	}

	private static List<String> found(Pattern pattern, Path file) throws IOException {
		return pattern.matcher(Files.readString(file)).results().map((MatchResult found) -> found.group(1)).toList();
	}

}
