package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Shortens a failing sequence.
 */
final class Shrinker {

	private Shrinker() {
	}

	/**
	 * Leaves out unneeded elements: first halves, then quarters, at last single elements.
	 * @param elements a sequence that fails
	 * @param fails whether a sequence fails
	 * @return a part of it that fails, and that does not fail without any single element
	 */
	static <T> List<T> shrink(List<T> elements, Predicate<List<T>> fails) {
		List<T> smallest = elements;
		int chunk = Math.max(1, elements.size() / 2);
		while (true) {
			boolean shorter = false;
			for (int from = 0; from < smallest.size();) {
				List<T> without = new ArrayList<>(smallest.subList(0, from));
				without.addAll(smallest.subList(Math.min(from + chunk, smallest.size()), smallest.size()));
				if (fails.test(without)) {
					smallest = without;
					shorter = true;
				}
				else {
					from += chunk;
				}
			}
			if (chunk == 1 && !shorter) {
				return smallest;
			}
			chunk = shorter ? chunk : Math.max(1, chunk / 2);
		}
	}

}
