package io.delayqueue.observe;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus finds at an application: the labels of each metric, with their values.
 *
 * @param metrics values by label by metric
 * @param samples each line with a number above 0, without the number
 */
record Scrape(Map<String, Map<String, Set<String>>> metrics, Set<String> samples) {

	private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

	static Scrape of(String text) {
		Map<String, Map<String, Set<String>>> metrics = new TreeMap<>();
		Set<String> samples = new TreeSet<>();
		text.lines().filter((line) -> !line.startsWith("#")).forEach((line) -> {
			Matcher sample = SAMPLE.matcher(line);
			if (sample.matches()) {
				Map<String, Set<String>> labels = metrics.computeIfAbsent(sample.group(1), (name) -> new TreeMap<>());
				Matcher label = LABEL.matcher(line);
				while (label.find()) {
					labels.computeIfAbsent(label.group(1), (name) -> new TreeSet<>()).add(label.group(2));
				}
				if (Double.parseDouble(sample.group(3)) > 0) {
					samples.add(line.substring(0, line.lastIndexOf(' ')));
				}
			}
		});
		return new Scrape(metrics, samples);
	}

}
