package io.delayqueue.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.delayqueue.model.GroupScope.Setting;
import io.delayqueue.model.GroupScript.Member;

/** Sweep: due messages of a group become ready or are parked. */
final class GroupSweep {

	private static final int MANY = GroupKey.MAX_IDS;

	private final GroupScope scope;

	private final GroupSlots slots;

	GroupSweep(GroupScope scope) {
		this.scope = scope;
		this.slots = new GroupSlots(scope);
	}

	/** Number of due messages. */
	int due(State state) {
		int due = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			due += isDue(state, id) ? 1 : 0;
		}
		return due;
	}

	/**
	 * SCHEDULED -> READY or PARKED, PARKED -> SCHEDULED.
	 * @param state the state before the script
	 * @param first number of due messages that it reads, lowest scores first
	 * @param last number of due messages that it reads from the other end, without those
	 * already read; it parks none of these
	 * @param checksDue whether it detects, at a limit of one, that an older message is
	 * due; {@code false} stands for too many messages to read
	 * @return the run
	 */
	GroupScript sweep(State state, int first, int last, boolean checksDue) {
		GroupScript script = this.scope.script(Transition.SWEEP, state);
		List<Member> parkedBefore = script.members(GroupKey.PARKED);
		int free = free(script);
		List<Integer> moving = new ArrayList<>();
		List<Integer> holding = new ArrayList<>();
		List<Integer> parking = new ArrayList<>();
		List<Integer> page = page(script, first, last);
		for (int n = 0; n < page.size(); n++) {
			int id = page.get(n);
			if (script.has(GroupKey.ACTIVE, id) || !script.has(GroupKey.GROUPED, id)) {
				moving.add(id);
			}
			else if (free > 0 && !isOvertaking(script, id, parkedBefore, checksDue)) {
				free--;
				moving.add(id);
				holding.add(id);
			}
			else if (n < first) {
				parking.add(id);
			}
		}
		boolean unparks = !parkedBefore.isEmpty() && !this.scope.has(GroupMutation.SWEEP_DOES_NOT_UNPARK);
		int back = unparks ? Math.max(free, 0) : 0;
		script.breaksIf(overtakes(state, holding), Property.G7);
		move(script, moving, holding, parking);
		this.slots.unpark(script, back);
		return script.answers(Answer.MOVED);
	}

	/**
	 * Whether an older message is parked and not yet unparked, or, for a limit of one,
	 * may be due.
	 */
	private boolean isOvertaking(GroupScript script, int id, List<Member> parkedBefore, boolean checksDue) {
		Member own = new Member(id, script.get(GroupKey.GROUPED, id));
		if (parkedBefore.stream().anyMatch((older) -> isOlder(older, own))
				&& !this.scope.has(GroupMutation.SWEEP_IGNORES_PARKED)) {
			return true;
		}
		return this.scope.limit() == 1 && !this.scope.has(GroupMutation.SWEEP_GOES_BY_SCORE)
				&& script.members(GroupKey.GROUPS)
					.stream()
					.anyMatch((older) -> isOlder(older, own) && (!checksDue || isDue(script.state(), older.id())));
	}

	static boolean isOlder(Member one, Member other) {
		return Member.IN_ORDER.compare(one, other) < 0;
	}

	private void move(GroupScript script, List<Integer> moving, List<Integer> holding, List<Integer> parking) {
		boolean claimsLast = this.scope.has(GroupMutation.SWEEP_CLAIMS_SLOT_LAST);
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

	/** Makes the newest entry of each id its current one. */
	private static void fence(GroupScript script, List<Integer> moving) {
		script.together(() -> moving
			.forEach((id) -> script.set(GroupKey.ENTRIES, id, GroupForm.newEntry(script.state(), id) - 1)));
	}

	private int free(GroupScript script) {
		return (this.scope.limit() != 0) ? this.scope.limit() - script.count(GroupKey.ACTIVE) : MANY;
	}

	/** The due messages: the first by score, then the last. */
	private List<Integer> page(GroupScript script, int first, int last) {
		List<Integer> due = new ArrayList<>();
		for (int id = 0; id < this.scope.ids(); id++) {
			if (isDue(script.state(), id)) {
				due.add(id);
			}
		}
		due.sort(Comparator.comparingInt((id) -> script.get(GroupKey.SCHEDULED, id)));
		int end = Math.min(first, due.size());
		List<Integer> page = new ArrayList<>(due.subList(0, end));
		page.addAll(due.subList(Math.max(end, due.size() - last), due.size()));
		return page;
	}

	/** Whether the score of an id has passed. */
	static boolean isDue(State state, int id) {
		int score = GroupKey.SCHEDULED.of(state, id);
		return score != 0 && score <= GroupWorld.now(state);
	}

	/**
	 * Whether an earlier unfinished message, due as far as the sweep has read, is left
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

	/** Whether no script stopped before it set a new due time. */
	private static boolean isWhole(State state, int id) {
		int due = GroupKey.GROUPED.of(state, id);
		return due == GroupKey.DUE.of(state, id) && (GroupKey.GROUPS.of(state, id) & GroupKey.setOf(due)) != 0;
	}

	static boolean isUnfinished(State state, int id) {
		int due = GroupKey.setOf(GroupKey.GROUPED.of(state, id));
		// A replace that stopped has set the new score, and not yet the due time.
		boolean retried = GroupKey.SCHEDULED.of(state, id) == GroupKey.RETRIED && GroupWorld.STOPS.of(state) == 0;
		boolean waitsItsTurn = GroupKey.ACTIVE.of(state, id) != 0 || (GroupKey.PARKED.of(state, id) & due) != 0
				|| retried || isDue(state, id);
		return GroupKey.MESSAGES.of(state, id) != 0 && GroupKey.DEAD.of(state, id) == 0 && waitsItsTurn;
	}

}
