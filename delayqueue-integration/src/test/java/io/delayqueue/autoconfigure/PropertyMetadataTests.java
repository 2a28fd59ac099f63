package io.delayqueue.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The configuration metadata is complete, and docs/properties.md lists the same
 * properties and defaults.
 */
class PropertyMetadataTests {

	private static final Pattern ROW = Pattern
		.compile("\\| `(delayqueue\\.|\\.\\.\\.)([^`]+)` \\| (?:`([^`]+)`)? ?\\|.*");

	@Test
	void everyPropertyHasDescriptionAndType() throws IOException {
		assertThat(metadata().get("properties")).hasSizeGreaterThan(25).allSatisfy((property) -> {
			assertThat(property.path("description").asString("")).as(name(property)).matches("\\p{Lu}.*\\.");
			assertThat(property.path("type").asString("")).as(name(property)).isNotBlank();
		});
	}

	@Test
	void onlyPropertiesEmptyByDefaultHaveNoDefaultValue() throws IOException {
		assertThat(metadata().get("properties")).filteredOn((property) -> !property.has("defaultValue"))
			.extracting(PropertyMetadataTests::name)
			.containsExactlyInAnyOrder("delayqueue.defaults.back-off.delays", "delayqueue.defaults.never-retried",
					"delayqueue.defaults.group.max-active", "delayqueue.defaults.expiry.after", "delayqueue.queues",
					"delayqueue.defaults.rate-limit.messages", "delayqueue.defaults.rate-limit.burst",
					"delayqueue.defaults.group.rate-limit.messages", "delayqueue.defaults.group.rate-limit.burst",
					"delayqueue.defaults.max-in-flight", "delayqueue.defaults.history.for",
					"delayqueue.defaults.history.at-most", "delayqueue.defaults.dead-letter-queue",
					"management.endpoint.delayqueue.roles");
	}

	@Test
	void hintsReferToExistingProperties() throws IOException {
		List<String> names = metadata().get("properties").valueStream().map(PropertyMetadataTests::name).toList();
		assertThat(metadata().get("hints")).hasSizeGreaterThan(1)
			.extracting(PropertyMetadataTests::name)
			.isSubsetOf(names);
	}

	@Test
	void documentationListsEachPropertyWithItsDefault() throws IOException {
		Map<String, String> expected = new LinkedHashMap<>();
		for (JsonNode property : metadata().get("properties")) {
			if (name(property).startsWith("delayqueue.") && !name(property).equals("delayqueue.queues")) {
				expected.put(name(property), property.path("defaultValue").asString(""));
			}
		}
		Map<String, String> documented = new LinkedHashMap<>();
		for (String line : Files.readAllLines(Path.of("..", "docs", "properties.md"))) {
			Matcher row = ROW.matcher(line);
			if (row.matches() && !row.group(2).endsWith(".*") && (row.group(1).equals("...") || row.group(2)
				.matches(
						"(enabled|key-prefix|startup-checks|(listener|schedule|sweeper|maintenance|health|tracing|trends).*)"))) {
				String prefix = row.group(1).equals("...") ? "delayqueue.defaults." : "delayqueue.";
				documented.put(prefix + row.group(2), (row.group(3) != null) ? row.group(3) : "");
			}
		}
		assertThat(documented).containsExactlyInAnyOrderEntriesOf(expected);
	}

	@ParameterizedTest
	@CsvSource({ "startup-checks, fail|warn|off", "defaults.group.when-full, reject|drop-oldest",
			"defaults.expiry.then, dead-letter|drop" })
	void everyEnumValueHasADescription(String property, String choices) throws IOException {
		JsonNode hint = metadata().get("hints")
			.valueStream()
			.filter((named) -> name(named).equals("delayqueue." + property))
			.findFirst()
			.orElseThrow();
		assertThat(hint.get("values")).extracting((value) -> value.get("value").asString())
			.containsExactly(choices.split("\\|"));
		assertThat(hint.get("values"))
			.allSatisfy((value) -> assertThat(value.path("description").asString("")).matches("\\p{Lu}.*\\."));
	}

	private static String name(JsonNode property) {
		return property.get("name").asString();
	}

	private static JsonNode metadata() throws IOException {
		String type = DelayQueueProperties.class.getSimpleName() + ".class";
		URL here = DelayQueueProperties.class.getResource(type);
		assertThat(here).isNotNull();
		String root = here.toString();
		root = root.substring(0, root.length() - DelayQueueProperties.class.getName().length() - ".class".length());
		try (var file = URI.create(root + "META-INF/spring-configuration-metadata.json").toURL().openStream()) {
			return JsonMapper.builder().build().readTree(file);
		}
	}

}
