package io.delayqueue.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A path from the start to a state, in the words of the steps.
 *
 * @param steps the steps in order
 */
record Trace(List<String> steps) {

	/**
	 * Walks the path again for the descriptions, which the search does not keep. The
	 * consumers keep their names along the path.
	 * @param model the model
	 * @param space the states found
	 * @param last the state before the last step
	 * @param target the state after it
	 * @param broken the property that the last step, or the state after it, breaks
	 * @return the path
	 */
	static Trace of(Model model, StateSpace space, int last, int target, Property broken) {
		List<String> steps = new ArrayList<>();
		State state = State.START;
		for (int number : way(space, last)) {
			Step step = step(model, state, space.get(number), null);
			steps.add(step.words());
			state = step.after();
		}
		steps.add(step(model, state, space.get(target), broken).words());
		return new Trace(steps);
	}

	private static Deque<Integer> way(StateSpace space, int last) {
		Deque<Integer> way = new ArrayDeque<>();
		for (int number = last; number != 0; number = space.parent(number)) {
			way.push(number);
		}
		return way;
	}

	/**
	 * Finds the step that leads to a state. If there are several, prefers a step that
	 * breaks the property.
	 */
	private static Step step(Model model, State before, State wanted, @Nullable Property broken) {
		List<Step> found = new ArrayList<>();
		model.next(before, (words, after, kind, breaks) -> {
			if (model.canonical(after).equals(wanted)) {
				int index = (broken != null && breaks == broken) ? 0 : found.size();
				found.add(index, new Step(words.get(), model.renamed(after)));
			}
		});
		return found.get(0);
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < this.steps.size(); i++) {
			text.append(String.format("%n%5d. %s", i + 1, this.steps.get(i)));
		}
		return text.toString();
	}

	private record Step(String words, State after) {
	}

}
