package io.delayqueue.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The files of scripts and of their parts.
 */
class ScriptFilesTests {

	@Test
	void everyFileHasAConstantAndEveryConstantAFile() throws IOException {
		assertThat(files("*.lua")).containsExactlyInAnyOrderElementsOf(
				Arrays.stream(StoreScript.values()).map(StoreScript::fileName).toList());
	}

	@Test
	void everyPartIsIncludedAndThereAreNoOtherFiles() throws IOException {
		Set<String> used = new TreeSet<>();
		for (StoreScript script : StoreScript.values()) {
			used.addAll(ScriptText.parts(script));
			assertThat(ScriptText.parts(script)).doesNotHaveDuplicates();
		}
		assertThat(files("part/*.lua")).map((file) -> "part/" + file).containsExactlyInAnyOrderElementsOf(used);
		assertThat(files("**/*.lua")).hasSize(StoreScript.values().length + used.size());
	}

	@ParameterizedTest
	@MethodSource("parts")
	void aPartNeedsOnlyFunctionsOfOtherPartsAndListsThem(String file) throws IOException {
		ScriptText part = ScriptText.ofPart("part/" + file);
		String header = part.text()
			.lines()
			.takeWhile((line) -> line.startsWith("--"))
			.map((line) -> line.replaceFirst("-- *", ""))
			.collect(Collectors.joining(" "));
		Set<String> needs = part.undeclared();

		assertThat(header).endsWith(needs.isEmpty() ? "" : "Needs: " + String.join(", ", needs));
		assertThat(functionsOfParts()).containsAll(needs);
	}

	@Test
	void everyFileIsShort() throws IOException {
		for (Resource file : resources("**/*.lua")) {
			assertThat(file.getContentAsString(StandardCharsets.UTF_8).lines()).as(file.getFilename())
				.hasSizeLessThanOrEqualTo(250);
		}
	}

	private static Set<String> functionsOfParts() throws IOException {
		Set<String> functions = new TreeSet<>();
		for (String file : parts()) {
			Pattern.compile("(?m)^local function (\\w+)")
				.matcher(ScriptText.ofPart("part/" + file).text())
				.results()
				.forEach((function) -> functions.add(function.group(1)));
		}
		return functions;
	}

	private static List<String> parts() throws IOException {
		return files("part/*.lua");
	}

	private static List<String> files(String pattern) throws IOException {
		return Arrays.stream(resources(pattern)).map(Resource::getFilename).toList();
	}

	private static Resource[] resources(String pattern) throws IOException {
		return new PathMatchingResourcePatternResolver().getResources("classpath*:io/delayqueue/store/" + pattern);
	}

}
