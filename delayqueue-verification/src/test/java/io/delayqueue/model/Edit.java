package io.delayqueue.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The change that a mutation makes to the writes of some scripts: writes are left out, or
 * one write is made too early.
 *
 * @param scripts the changed scripts
 * @param leftOut the writes that are left out
 * @param early the write that is made too early, {@code null} for none
 * @param before the write that it precedes, {@code null} for none
 */
record Edit(Set<Transition> scripts, Set<Command> leftOut, @Nullable Command early, @Nullable Command before) {

	/** Changes no script: the fault is in a decision. */
	static final Edit NONE = new Edit(Set.of(), Set.of(), null, null);

	static Edit in(Transition... scripts) {
		return new Edit(Set.of(scripts), Set.of(), null, null);
	}

	Edit without(Command... leftOut) {
		return new Edit(this.scripts, Set.of(leftOut), this.early, this.before);
	}

	Edit with(Command early, Command before) {
		return new Edit(this.scripts, this.leftOut, early, before);
	}

	List<Write> of(Transition script, List<Write> writes) {
		if (!this.scripts.contains(script)) {
			return writes;
		}
		List<Write> edited = new ArrayList<>(writes);
		edited.removeIf((write) -> this.leftOut.contains(write.command()));
		int from = indexOf(this.early, edited);
		int to = indexOf(this.before, edited);
		if (to >= 0 && to < from) {
			edited.add(to, edited.remove(from));
		}
		return edited;
	}

	private static int indexOf(@Nullable Command command, List<Write> writes) {
		for (int i = 0; i < writes.size(); i++) {
			if (writes.get(i).command() == command) {
				return i;
			}
		}
		return -1;
	}

}
