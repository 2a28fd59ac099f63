package io.delayqueue.queue;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Finds the names that a mistyped name of a queue may stand for. */
public final class SimilarNames {

	private SimilarNames() {
	}

	/**
	 * Returns the names that differ from a name by a few characters, or begin with it.
	 * @param name the name, perhaps mistyped
	 * @param known the names that exist
	 * @return the similar names, the most similar first
	 */
	public static List<String> of(String name, Collection<String> known) {
		return known.stream()
			.filter((other) -> other.startsWith(name) || isSimilar(name, other))
			.sorted(Comparator.comparingInt((other) -> distance(name, other)))
			.toList();
	}

	private static boolean isSimilar(String one, String other) {
		int most = Math.max(2, one.length() / 3);
		return Math.abs(one.length() - other.length()) <= most && distance(one, other) <= most;
	}

	/** The number of characters to insert, remove or replace (Levenshtein distance). */
	private static int distance(String one, String other) {
		int[] costs = IntStream.rangeClosed(0, other.length()).toArray();
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = costs[0];
			costs[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int replaced = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				diagonal = costs[j];
				costs[j] = Math.min(replaced, Math.min(costs[j], costs[j - 1]) + 1);
			}
		}
		return costs[other.length()];
	}

}
