package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The bounds of a search of one group.
 *
 * @param ids number of ids of the group, at most {@link GroupKey#MAX_IDS}
 * @param calls number of calls that bring a message, at most 6
 * @param faults process deaths, freezes and lost requests or answers
 * @param stops scripts that stop half-way
 * @param quota the most messages of the group that may wait at once, 0 for no quota
 * @param limit the most messages that may be ready or pending at once, 0 for no limit
 * @param settings the settings of the group
 * @param allowed the operations besides schedule
 * @param mutation the fault in the design, {@code null} for none
 */
record GroupScope(int ids, int calls, int faults, int stops, int quota, int limit, Set<Setting> settings,
		Set<Transition> allowed, @Nullable GroupMutation mutation) {

	/** A setting of the group. */
	enum Setting {

		/** A full group drops its oldest message. */
		DROP_OLDEST,

		/** Dead letters count towards the quota. */
		COUNT_DEAD,

		/** A failed message keeps its slot. */
		STRICT,

		/** Every message is due at once. */
		DUE_AT_ONCE

	}

	static GroupScope of(int ids, int calls) {
		return new GroupScope(ids, calls, 0, 0, 0, 0, EnumSet.noneOf(Setting.class), EnumSet.noneOf(Transition.class),
				null);
	}

	GroupScope failing(int faults, int stops) {
		return new GroupScope(this.ids, this.calls, faults, stops, this.quota, this.limit, this.settings, this.allowed,
				this.mutation);
	}

	GroupScope quota(int quota) {
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, quota, this.limit, this.settings,
				this.allowed, this.mutation);
	}

	GroupScope limit(int limit) {
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, limit, this.settings,
				this.allowed, this.mutation);
	}

	GroupScope with(Setting... settings) {
		Set<Setting> chosen = EnumSet.copyOf(this.settings);
		chosen.addAll(List.of(settings));
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, this.limit, chosen,
				this.allowed, this.mutation);
	}

	GroupScope allowing(Transition... allowed) {
		Set<Transition> chosen = EnumSet.copyOf(this.allowed);
		chosen.addAll(List.of(allowed));
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, this.limit, this.settings,
				chosen, this.mutation);
	}

	GroupScope with(GroupMutation mutation) {
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, this.limit, this.settings,
				this.allowed, mutation);
	}

	boolean has(Setting setting) {
		return this.settings.contains(setting);
	}

	boolean allows(Transition transition) {
		return this.allowed.contains(transition);
	}

	boolean has(GroupMutation mutation) {
		return this.mutation == mutation;
	}

	GroupScript script(Transition transition, State state) {
		return new GroupScript(transition, this, state);
	}

	/** Number of ids that hold a slot of the quota. */
	int living(State state) {
		int living = 0;
		for (int id = 0; id < this.ids; id++) {
			living += holdsSlot(state, id) ? 1 : 0;
		}
		return living;
	}

	/**
	 * Whether an id counts towards the quota: stored, and no dead letter unless these
	 * count.
	 */
	boolean holdsSlot(State state, int id) {
		return GroupKey.MESSAGES.of(state, id) != 0
				&& (has(Setting.COUNT_DEAD) || location(state, id) != Location.DEAD);
	}

	/** Number of ready and pending messages of the group. */
	static int underWay(State state) {
		int underWay = 0;
		for (int id = 0; id < GroupKey.MAX_IDS; id++) {
			underWay += isUnderWay(state, id) ? 1 : 0;
		}
		return underWay;
	}

	static boolean isUnderWay(State state, int id) {
		Location location = location(state, id);
		return GroupKey.MESSAGES.of(state, id) != 0 && (location == Location.READY || location == Location.PENDING);
	}

	static Location location(State state, int id) {
		int entry = GroupKey.ENTRIES.of(state, id);
		ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, id));
		if (entry != 0 && ready.pending(entry)) {
			return Location.PENDING;
		}
		if (entry != 0 && ready.undelivered(entry)) {
			return Location.READY;
		}
		if (GroupKey.SCHEDULED.of(state, id) != 0) {
			return Location.SCHEDULED;
		}
		if (GroupKey.PARKED.of(state, id) != 0) {
			return Location.PARKED;
		}
		return (GroupKey.DEAD.of(state, id) != 0) ? Location.DEAD : Location.NOWHERE;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		text.append(this.ids).append(" ids, ").append(this.calls).append(" calls, ");
		text.append(this.faults).append(" faults, ");
		text.append(this.stops).append(" stopped scripts, quota ").append(this.quota);
		text.append(", limit ").append(this.limit);
		this.settings.forEach((setting) -> text.append(", ").append(words(setting)));
		this.allowed.forEach((transition) -> text.append(", ").append(transition.words()));
		if (this.mutation != null) {
			text.append(", and ").append(this.mutation);
		}
		return text.toString();
	}

	private static String words(Setting setting) {
		return setting.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
