package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * How much of the world of one group a run explores.
 *
 * @param ids how many ids the group has, at most {@link GroupKey#MAX_IDS}
 * @param calls how many calls bring a message, at most 6
 * @param faults deaths, freezes and lost messages
 * @param stops scripts that stop half-way
 * @param quota how many messages of the group may wait at once, 0 for any number
 * @param limit how many of them may be ready or pending at once, 0 for any number
 * @param settings how the group is set
 * @param asked what is asked for besides schedule
 * @param mutation what is wrong with the design, {@code null} for nothing
 */
record GroupScope(int ids, int calls, int faults, int stops, int quota, int limit, Set<Setting> settings,
		Set<Transition> asked, @Nullable GroupMutation mutation) {

	/** How a group may be set. */
	enum Setting {

		/** The oldest makes room in a full group. */
		DROP_OLDEST,

		/** Dead letters count. */
		COUNT_DEAD,

		/** What fails keeps its place. */
		STRICT,

		/** Every message is due at once. */
		DUE_AT_ONCE

	}

	static GroupScope of(int ids, int calls) {
		return new GroupScope(ids, calls, 0, 0, 0, 0, EnumSet.noneOf(Setting.class), EnumSet.noneOf(Transition.class),
				null);
	}

	GroupScope failing(int faults, int stops) {
		return new GroupScope(this.ids, this.calls, faults, stops, this.quota, this.limit, this.settings, this.asked,
				this.mutation);
	}

	GroupScope quota(int quota) {
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, quota, this.limit, this.settings,
				this.asked, this.mutation);
	}

	GroupScope limit(int limit) {
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, limit, this.settings,
				this.asked, this.mutation);
	}

	GroupScope with(Setting... settings) {
		Set<Setting> chosen = EnumSet.copyOf(this.settings);
		chosen.addAll(List.of(settings));
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, this.limit, chosen, this.asked,
				this.mutation);
	}

	GroupScope asking(Transition... asked) {
		Set<Transition> chosen = EnumSet.copyOf(this.asked);
		chosen.addAll(List.of(asked));
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, this.limit, this.settings,
				chosen, this.mutation);
	}

	GroupScope with(GroupMutation mutation) {
		return new GroupScope(this.ids, this.calls, this.faults, this.stops, this.quota, this.limit, this.settings,
				this.asked, mutation);
	}

	boolean has(Setting setting) {
		return this.settings.contains(setting);
	}

	boolean asks(Transition transition) {
		return this.asked.contains(transition);
	}

	boolean has(GroupMutation mutation) {
		return this.mutation == mutation;
	}

	GroupScript script(Transition transition, State state) {
		return new GroupScript(transition, this, state);
	}

	/** How many of the group hold a place in its quota. */
	int living(State state) {
		int living = 0;
		for (int id = 0; id < this.ids; id++) {
			living += holdsPlace(state, id) ? 1 : 0;
		}
		return living;
	}

	/** Whether an id is to be counted: stored, and no dead letter unless they count. */
	boolean holdsPlace(State state, int id) {
		return GroupKey.MESSAGES.of(state, id) != 0 && (has(Setting.COUNT_DEAD) || place(state, id) != Place.DEAD);
	}

	/** How many of the group are ready or pending. */
	static int underWay(State state) {
		int underWay = 0;
		for (int id = 0; id < GroupKey.MAX_IDS; id++) {
			underWay += isUnderWay(state, id) ? 1 : 0;
		}
		return underWay;
	}

	static boolean isUnderWay(State state, int id) {
		Place place = place(state, id);
		return GroupKey.MESSAGES.of(state, id) != 0 && (place == Place.READY || place == Place.PENDING);
	}

	static Place place(State state, int id) {
		int entry = GroupKey.ENTRIES.of(state, id);
		ReadyStream ready = new ReadyStream(GroupKey.READY.of(state, id));
		if (entry != 0 && ready.pending(entry)) {
			return Place.PENDING;
		}
		if (entry != 0 && ready.undelivered(entry)) {
			return Place.READY;
		}
		if (GroupKey.SCHEDULED.of(state, id) != 0) {
			return Place.SCHEDULED;
		}
		if (GroupKey.PARKED.of(state, id) != 0) {
			return Place.PARKED;
		}
		return (GroupKey.DEAD.of(state, id) != 0) ? Place.DEAD : Place.NOWHERE;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		text.append(this.ids).append(" ids, ").append(this.calls).append(" calls, ");
		text.append(this.faults).append(" faults, ");
		text.append(this.stops).append(" stopped scripts, quota ").append(this.quota);
		text.append(", limit ").append(this.limit);
		this.settings.forEach((setting) -> text.append(", ").append(words(setting)));
		this.asked.forEach((transition) -> text.append(", ").append(transition.words()));
		if (this.mutation != null) {
			text.append(", and ").append(this.mutation);
		}
		return text.toString();
	}

	private static String words(Setting setting) {
		return setting.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
