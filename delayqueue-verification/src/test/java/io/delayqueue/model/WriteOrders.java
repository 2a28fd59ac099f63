package io.delayqueue.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.delayqueue.model.Scope.Feature;

/** The orders of the writes in the scripts of the model. */
public final class WriteOrders {

	private WriteOrders() {
	}

	/**
	 * Returns the writes of the scripts in all states that the model reaches.
	 * @return by transition: each order of its writes as command and key, without
	 * removals of absent values
	 */
	public static Map<String, Set<List<String>>> all() {
		Map<String, Set<List<String>>> all = new TreeMap<>();
		for (Feature[] features : List.of(new Feature[0], Feature.values())) {
			new Exploration(Scope.of(2, 0, 1, features)).complete()
				.writes()
				.forEach((transition, orders) -> all.merge(transition.words(), words(orders), (some, more) -> {
					some.addAll(more);
					return some;
				}));
		}
		return all;
	}

	private static Set<List<String>> words(Set<List<Command>> orders) {
		return orders.stream()
			.map((order) -> order.stream().map((command) -> command.words().replaceFirst(" \\(.*", "")).toList())
			.collect(Collectors.toSet());
	}

}
