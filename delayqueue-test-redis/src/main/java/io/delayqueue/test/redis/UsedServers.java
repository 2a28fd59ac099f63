package io.delayqueue.test.redis;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Collects descriptions of the Redis servers that the tests of this JVM use, for the test
 * report.
 */
final class UsedServers {

	private static final Set<String> DESCRIPTIONS = Collections.synchronizedSet(new TreeSet<>());

	private UsedServers() {
	}

	static void add(String description) {
		DESCRIPTIONS.add(description);
	}

	static List<String> descriptions() {
		synchronized (DESCRIPTIONS) {
			return List.copyOf(DESCRIPTIONS);
		}
	}

}
