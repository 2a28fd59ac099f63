package io.delayqueue.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.delayqueue.model.GroupScope.Setting;
import io.delayqueue.model.GroupScript.Member;

/** Sweep: what is due in a group becomes ready, or is parked. */
final class GroupSweep {

	private static final int MANY = GroupKey.MAX_IDS;

	private final GroupScope scope;

	private final GroupPlaces places;

	GroupSweep(GroupScope scope) {
		this.scope = scope;
		this.places = new GroupPlaces(scope);
	}

	/** How many are due. */
	int due(State state) {
		int due = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			due += isDue(state, id) ? 1 : 0;
		}
		return due;
	}

	/**
	 * SCHEDULED -> READY or PARKED, PARKED -> SCHEDULED.
	 * @param state what the script finds
	 * @param look how many due messages it looks at, the first by score
	 * @param early how many it looks at from the other end, while it does not come to the
	 * end of the first ones; it parks none of these
	 * @param tells whether it can tell, where messages are handled one by one, if an
	 * older one is due: not if it would have to look at too many
	 * @return the run
	 */
	GroupScript sweep(State state, int look, int early, boolean tells) {
		GroupScript script = this.scope.script(Transition.SWEEP, state);
		List<Member> parkedBefore = script.members(GroupKey.PARKED);
		int free = free(script);
		List<Integer> moving = new ArrayList<>();
		List<Integer> holding = new ArrayList<>();
		List<Integer> parking = new ArrayList<>();
		List<Integer> page = page(script, look, early);
		for (int n = 0; n < page.size(); n++) {
			int id = page.get(n);
			if (script.has(GroupKey.ACTIVE, id) || !script.has(GroupKey.GROUPED, id)) {
				moving.add(id);
			}
			else if (free > 0 && !isOvertaking(script, id, parkedBefore, tells)) {
				free--;
				moving.add(id);
				holding.add(id);
			}
			else if (n < look) {
				parking.add(id);
			}
		}
		boolean looks = !parkedBefore.isEmpty() && !this.scope.has(GroupMutation.SWEEP_DOES_NOT_LOOK);
		int back = looks ? Math.max(free, 0) : 0;
		script.breaksIf(overtakes(state, holding), Property.G7);
		move(script, moving, holding, parking);
		this.places.unpark(script, back);
		return script.answers(Answer.MOVED);
	}

	/**
	 * Whether an older one is parked that nobody has brought back; or, where they are
	 * handled one by one, may be due.
	 */
	private boolean isOvertaking(GroupScript script, int id, List<Member> parkedBefore, boolean tells) {
		Member own = new Member(id, script.get(GroupKey.GROUPED, id));
		if (parkedBefore.stream().anyMatch((older) -> isOlder(older, own))
				&& !this.scope.has(GroupMutation.SWEEP_FORGETS_THE_PARKED)) {
			return true;
		}
		return this.scope.limit() == 1 && !this.scope.has(GroupMutation.SWEEP_GOES_BY_SCORE)
				&& script.members(GroupKey.GROUPS)
					.stream()
					.anyMatch((older) -> isOlder(older, own) && (!tells || isDue(script.state(), older.id())));
	}

	static boolean isOlder(Member one, Member other) {
		return Member.IN_ORDER.compare(one, other) < 0;
	}

	private void move(GroupScript script, List<Integer> moving, List<Integer> holding, List<Integer> parking) {
		boolean claimsLast = this.scope.has(GroupMutation.SWEEP_CLAIMS_PLACE_LAST);
		if (!claimsLast) {
			script.set(GroupKey.ACTIVE, holding, 1);
		}
		if (this.scope.has(GroupMutation.PARK_REMOVES_FIRST)) {
			script.set(GroupKey.SCHEDULED, parking, 0);
		}
		park(script, parking);
		for (int id : moving) {
			script.ready(id, script.ready(id).add(GroupForm.newEntry(script.state(), id)));
		}
		fence(script, moving);
		if (claimsLast) {
			script.set(GroupKey.ACTIVE, holding, 1);
		}
		// A script that stopped half-way may have left them parked.
		script.together(() -> moving
			.forEach((id) -> script.removeMember(GroupKey.PARKED, id, script.get(GroupKey.GROUPED, id))));
		script.set(GroupKey.SCHEDULED, moving, 0);
		script.set(GroupKey.SCHEDULED, parking, 0);
	}

	private void park(GroupScript script, List<Integer> parking) {
		script.together(
				() -> parking.forEach((id) -> script.addMember(GroupKey.PARKED, id, script.get(GroupKey.GROUPED, id))));
	}

	/** Each id's newest entry is its current one. */
	private static void fence(GroupScript script, List<Integer> moving) {
		script.together(() -> moving
			.forEach((id) -> script.set(GroupKey.ENTRIES, id, GroupForm.newEntry(script.state(), id) - 1)));
	}

	private int free(GroupScript script) {
		return (this.scope.limit() != 0) ? this.scope.limit() - script.count(GroupKey.ACTIVE) : MANY;
	}

	/** What is due: the first by score, then the last. */
	private List<Integer> page(GroupScript script, int look, int early) {
		List<Integer> due = new ArrayList<>();
		for (int id = 0; id < this.scope.ids(); id++) {
			if (isDue(script.state(), id)) {
				due.add(id);
			}
		}
		due.sort(Comparator.comparingInt((id) -> script.get(GroupKey.SCHEDULED, id)));
		int first = Math.min(look, due.size());
		List<Integer> page = new ArrayList<>(due.subList(0, first));
		page.addAll(due.subList(Math.max(first, due.size() - early), due.size()));
		return page;
	}

	/** Whether an id is scheduled for now or before. */
	static boolean isDue(State state, int id) {
		int score = GroupKey.SCHEDULED.of(state, id);
		return score != 0 && score <= GroupWorld.now(state);
	}

	/**
	 * Whether one that is earlier and unfinished, and due as far as it looked, is left
	 * behind.
	 */
	private boolean overtakes(State state, List<Integer> holding) {
		if (!this.scope.has(Setting.STRICT)) {
			return false;
		}
		for (int id : holding) {
			for (int other = 0; other < this.scope.ids(); other++) {
				boolean earlier = GroupKey.GROUPED.of(state, other) < GroupKey.GROUPED.of(state, id);
				if (earlier && isUnfinished(state, other) && isWhole(state, id) && isWhole(state, other)) {
					return true;
				}
			}
		}
		return false;
	}

	/** Whether no script has stopped that was to give it another due time. */
	private static boolean isWhole(State state, int id) {
		int due = GroupKey.GROUPED.of(state, id);
		return due == GroupKey.DUE.of(state, id) && (GroupKey.GROUPS.of(state, id) & GroupKey.setOf(due)) != 0;
	}

	static boolean isUnfinished(State state, int id) {
		int due = GroupKey.setOf(GroupKey.GROUPED.of(state, id));
		// A replace that stopped has taken its place already, and not yet set its due
		// time.
		boolean retried = GroupKey.SCHEDULED.of(state, id) == GroupKey.RETRIED && GroupWorld.STOPS.of(state) == 0;
		boolean waitsItsTurn = GroupKey.ACTIVE.of(state, id) != 0 || (GroupKey.PARKED.of(state, id) & due) != 0
				|| retried || isDue(state, id);
		return GroupKey.MESSAGES.of(state, id) != 0 && GroupKey.DEAD.of(state, id) == 0 && waitsItsTurn;
	}

}
