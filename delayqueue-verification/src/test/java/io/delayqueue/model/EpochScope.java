package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.delayqueue.model.EpochCall.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The bounds of a search in {@link EpochModel}.
 *
 * @param ids the number of ids: of one group, or one id without a group
 * @param epochs the number of epochs, one of them the first
 * @param calls the most calls
 * @param bounds the most faults, and the most scripts that stop half-way
 * @param settings the optional parts
 * @param mutation the fault in the design, {@code null} for none
 */
record EpochScope(int ids, int epochs, int calls, Bounds bounds, Set<Setting> settings,
		@Nullable EpochMutation mutation) {

	/**
	 * What may fail.
	 *
	 * @param faults lost answers, and copies of requests that arrive late
	 * @param stops scripts that stop half-way
	 * @param redrives dead letters that are redriven
	 */
	record Bounds(int faults, int stops, int redrives) {
	}

	/** An optional part of the model. */
	enum Setting {

		/** Producers replace messages. */
		REPLACE,

		/** Producers cancel messages. */
		CANCEL,

		/** The id is generated for the first call; other calls use it after that call. */
		GENERATED,

		/** Dead letters count against the quota. */
		COUNT_DEAD,

		/** The queue was used by the first release, and still is. */
		OLD_RELEASE,

		/** A second process may carry dead letters at the same time. */
		TWO_CARRIERS,

		/**
		 * An epoch may be the current one while older partitions are open: a failover has
		 * lost that they were closed.
		 */
		EARLY,

		/** The second epoch has a message of no group with the last id. */
		OCCUPIED

	}

	static EpochScope of(int ids, int epochs, int calls, Setting... settings) {
		Set<Setting> chosen = EnumSet.noneOf(Setting.class);
		chosen.addAll(List.of(settings));
		return new EpochScope(ids, epochs, calls, new Bounds(0, 0, 1), chosen, null);
	}

	EpochScope failing(int faults, int stops) {
		return new EpochScope(this.ids, this.epochs, this.calls, new Bounds(faults, stops, this.bounds.redrives()),
				this.settings, this.mutation);
	}

	EpochScope with(EpochMutation fault) {
		return new EpochScope(this.ids, this.epochs, this.calls, this.bounds, this.settings, fault);
	}

	boolean has(Setting setting) {
		return this.settings.contains(setting);
	}

	boolean has(EpochMutation fault) {
		return this.mutation == fault;
	}

	/** Whether the ids belong to a group. */
	boolean isGroup() {
		return this.ids > 1;
	}

	/** The quota of the group, 0 for none: one less than the ids. */
	int quota() {
		return this.ids - 1;
	}

	/** The operations of a producer, given the number of calls before it. */
	Set<Kind> kinds(int begun) {
		if (has(Setting.GENERATED) && begun == 0) {
			return EnumSet.of(Kind.NEW);
		}
		Set<Kind> kinds = EnumSet.of(Kind.KEEP);
		if (has(Setting.REPLACE)) {
			kinds.add(Kind.REPLACE);
		}
		if (has(Setting.CANCEL)) {
			kinds.add(Kind.CANCEL);
		}
		if (has(Setting.OLD_RELEASE)) {
			kinds.add(Kind.OLD);
		}
		return kinds;
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		text.append(this.ids).append(isGroup() ? " ids of a group, " : " id, ");
		text.append(this.epochs).append(" epochs, ").append(this.calls).append(" calls, ");
		text.append(this.bounds.faults()).append(" faults, ").append(this.bounds.stops()).append(" stopped scripts");
		this.settings
			.forEach((setting) -> text.append(", ").append(setting.name().toLowerCase(Locale.ROOT).replace('_', ' ')));
		if (this.mutation != null) {
			text.append(", and ").append(this.mutation);
		}
		return text.toString();
	}

}
