package io.delayqueue.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a PromQL expression asks for: the metrics of this library with the labels and
 * values that select them, and the labels by which it groups and joins.
 *
 * @param metrics what is selected, once for each time that it is named
 * @param labels by what it groups and joins
 */
record PromQuery(List<Selection> metrics, Set<String> labels) {

	private static final Pattern METRIC = Pattern.compile("\\b(delayqueue_\\w+)(?:\\{([^}]*)})?");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)\\s*\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on|without|ignoring)\\s*\\(([^)]*)\\)");

	/**
	 * A metric and what is wanted of its labels.
	 *
	 * @param metric its name
	 * @param values values by label; none where a variable of the dashboard stands
	 */
	record Selection(String metric, Map<String, Set<String>> values) {
	}

	static PromQuery of(String expression) {
		List<Selection> metrics = new ArrayList<>();
		Matcher metric = METRIC.matcher(expression);
		while (metric.find()) {
			metrics.add(new Selection(metric.group(1), values(Objects.toString(metric.group(2), ""))));
		}
		Set<String> labels = new TreeSet<>();
		Matcher grouping = GROUPING.matcher(expression);
		while (grouping.find()) {
			labels.addAll(List.of(grouping.group(1).trim().split("\\s*,\\s*")));
		}
		return new PromQuery(metrics, labels);
	}

	private static Map<String, Set<String>> values(String matchers) {
		Map<String, Set<String>> values = new TreeMap<>();
		Matcher matcher = MATCHER.matcher(matchers);
		while (matcher.find()) {
			values.put(matcher.group(1),
					matcher.group(2).startsWith("$") ? Set.of() : Set.of(matcher.group(2).split("\\|")));
		}
		return values;
	}

}
