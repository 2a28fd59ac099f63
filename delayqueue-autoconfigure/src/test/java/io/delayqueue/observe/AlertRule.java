package io.delayqueue.observe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * An alert of docs/observability.
 *
 * @param name its name
 * @param expression when it fires
 * @param labels what Alertmanager routes by
 * @param annotations what a human is told
 */
record AlertRule(String name, String expression, Map<?, ?> labels, Map<?, ?> annotations) {

	static List<AlertRule> all() throws IOException {
		String text = Files.readString(Path.of("..", "docs", "observability", "delayqueue-rules.yml"));
		Map<?, ?> file = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
		List<AlertRule> rules = new ArrayList<>();
		for (Object group : (List<?>) part(file, "groups")) {
			for (Object rule : (List<?>) part(group, "rules")) {
				rules.add(new AlertRule((String) part(rule, "alert"), (String) part(rule, "expr"),
						(Map<?, ?>) part(rule, "labels"), (Map<?, ?>) part(rule, "annotations")));
			}
		}
		return rules;
	}

	String annotation(String name) {
		return (String) part(this.annotations, name);
	}

	private static Object part(Object map, String name) {
		Object part = ((Map<?, ?>) map).get(name);
		if (part == null) {
			throw new IllegalArgumentException("There is no " + name + " in " + map);
		}
		return part;
	}

}
