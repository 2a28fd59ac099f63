package io.delayqueue.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Meter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of docs/meters-and-events.md lists the meters with their types and tags.
 */
class DocumentedMetersTests {

	private static final Pattern ROW = Pattern.compile(
			"\\| (`delayqueue\\.[a-z.]+` \\| (?:counter|timer|gauge|distribution summary)[^|]*\\| [^|]* \\|) (.+) \\|");

	@Test
	void readmeListsEachMeterOnceWithTypeUnitAndTags() throws IOException {
		List<String> listed = new ArrayList<>();
		for (String line : Files.readAllLines(Path.of("..", "docs", "meters-and-events.md"))) {
			Matcher row = ROW.matcher(line);
			if (row.matches()) {
				listed.add(row.group(1));
				assertThat(row.group(2)).as(line).isNotBlank();
			}
		}
		List<String> meters = new ArrayList<>();
		for (DelayQueueMeters meter : DelayQueueMeters.values()) {
			meters.add("`" + meter.meterName() + "` | " + type(meter) + " | " + tags(meter) + " |");
		}
		assertThat(listed).containsExactlyInAnyOrderElementsOf(meters);
	}

	private static String type(DelayQueueMeters meter) {
		String type = meter.type().name().toLowerCase(Locale.ROOT).replace('_', ' ');
		boolean unitIsImplied = meter.baseUnit().isEmpty() || meter.type() == Meter.Type.TIMER;
		return unitIsImplied ? type : type + ", " + meter.baseUnit();
	}

	private static String tags(DelayQueueMeters meter) {
		if (meter.tag().isEmpty()) {
			return "`queue`";
		}
		return "`queue`, `" + meter.tag() + "`: "
				+ meter.tagValues().stream().map((value) -> "`" + value + "`").collect(Collectors.joining(", "));
	}

}
