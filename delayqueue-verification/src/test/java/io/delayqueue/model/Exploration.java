package io.delayqueue.model;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a {@link Model} can reach, breadth first, so that the first
 * trace to a violation is a shortest one.
 */
final class Exploration {

	private final Model model;

	private final StateSpace space = new StateSpace(State.START);

	private final Edges edges = new Edges();

	private final Map<Property, Trace> violations = new EnumMap<>(Property.class);

	private final Object scope;

	/**
	 * Prepares a search.
	 * @param model the model to search
	 * @param scope the bounds of the search, for the report
	 */
	Exploration(Model model, Object scope) {
		this.model = model;
		this.scope = scope;
	}

	/** Visits all states and checks whether each can come to rest. */
	Exploration complete() {
		return until(Set.of());
	}

	/**
	 * Visits states until all given properties are broken.
	 * @param wanted the properties; if empty, all states are visited
	 * @return this
	 */
	Exploration until(Set<Property> wanted) {
		for (int i = 0; i < this.space.size(); i++) {
			visit(i);
			if (!wanted.isEmpty() && this.violations.keySet().containsAll(wanted)) {
				return this;
			}
		}
		this.model.rests().forEach(this::stuck);
		return this;
	}

	private void visit(int number) {
		this.edges.nextState();
		this.model.next(this.space.get(number), (words, after, kind, broken) -> add(number, after, kind, broken));
	}

	private void add(int number, State after, Steps.Kind kind, @Nullable Property broken) {
		int known = this.space.size();
		int target = this.space.add(this.model.canonical(after), number);
		report(broken, number, target);
		if (target == known) {
			report(this.model.brokenIn(after), number, target);
		}
		if (kind == Steps.Kind.SYSTEM || kind == Steps.Kind.REPAIR) {
			this.edges.add(target, kind == Steps.Kind.REPAIR);
		}
	}

	private void report(@Nullable Property broken, int last, int target) {
		if (broken != null && !this.violations.containsKey(broken)) {
			this.violations.put(broken, Trace.of(this.model, this.space, last, target, broken));
		}
	}

	private void stuck(Model.Rest rest) {
		BitSet reached = new BitSet(this.space.size());
		for (int i = 0; i < this.space.size(); i++) {
			reached.set(i, rest.good().test(this.space.get(i)));
		}
		this.edges.spreadBack(reached, rest.withRepair());
		int stuck = reached.nextClearBit(0);
		while (stuck < this.space.size() && !rest.from().test(this.space.get(stuck))) {
			stuck = reached.nextClearBit(stuck + 1);
		}
		if (stuck < this.space.size()) {
			report(Property.P5, this.space.parent(stuck), stuck);
		}
	}

	Map<Property, Trace> violations() {
		return this.violations;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder(this.space.size() + " states of " + this.scope);
		this.violations
			.forEach((property, trace) -> text.append(String.format("%n%s", property.violation())).append(trace));
		return text.toString();
	}

}
